#pragma once

#include "svc/core/bytes.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::live {

/// Compresses piece by piece, so that a long text does not hold up its worker (RFC 1950). Throws `std::bad_alloc`.
class compressor {
 public:
  compressor();
  ~compressor();
  compressor(compressor&&) noexcept;
  compressor& operator=(compressor&&) = delete;

  void add(std::string_view text);
  /// The whole; nothing can be added behind it.
  byte_vector finish();

 private:
  struct state;
  void run(std::string_view text, int flush);
  std::unique_ptr<state> state_;
};

/// Nothing unless the content is whole and inflates to exactly `size` bytes.
std::optional<std::string> inflated(byte_view content, std::size_t size);

}  // namespace svc::live
