#pragma once

#include "svc/core/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::http {

/// The wrapper around the compressed data.
enum class deflate_format : std::uint8_t {
  zlib,  ///< RFC 1950
  gzip,  ///< RFC 1952
};

/// Compresses in steps, so that a worker can serve other requests between them. One text, worker-local. Throws
/// `std::bad_alloc`.
class deflater {
 public:
  deflater(deflate_format format, int level);  ///< 1 (fast) to 9 (small)
  ~deflater();
  deflater(deflater&&) noexcept;
  deflater& operator=(deflater&&) = delete;

  void add(std::string_view piece);
  /// Returns the whole compressed text; no call may follow.
  std::string finish();

 private:
  struct stream;
  void run(std::string_view piece, int flush);

  std::unique_ptr<stream> stream_;
  std::string out_;
};

/// Compresses in one step.
std::string gzip(std::string_view text, int level);

/// Inflates one format in steps, so that a worker can serve other requests between them. One text,
/// worker-local; `content` outlives it. Throws `std::bad_alloc`.
class inflater {
 public:
  inflater(byte_view content, std::size_t size, deflate_format format = deflate_format::zlib);
  ~inflater();
  inflater(inflater&&) noexcept;
  inflater& operator=(inflater&&) = delete;

  /// Inflates up to `most` more bytes. Returns false once nothing is left.
  bool step(std::size_t most);
  /// Returns `std::nullopt` unless the content is whole and inflated to exactly `size` bytes.
  std::optional<std::string> finish();

 private:
  struct stream;
  std::unique_ptr<stream> stream_;
  std::size_t size_;
  std::string out_{};
};

/// Inflates in one step. Returns `std::nullopt` unless the content is whole and inflates to exactly `size`
/// bytes.
std::optional<std::string> inflated(byte_view content, std::size_t size,
                                    deflate_format format = deflate_format::zlib);

}  // namespace svc::http
