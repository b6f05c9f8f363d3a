#pragma once

#include "svc/http/deflate.hpp"
#include "svc/http/public_pages/source.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// The form in which Redis keeps a page. Everything here is pure.

namespace svc::public_pages {

/// Bytes of one copy.
inline constexpr std::size_t most_copy_bytes = 64UL * 1024;

/// Writes a page in small steps, so that a worker can serve other requests between them. The page outlives it.
class copy_writer {
 public:
  explicit copy_writer(published_page const& page) : page_(page) {}

  /// Does a part of the work. Returns false once `take` has the result; do not call it again then.
  bool step();
  /// Returns the result of `write_copy`.
  std::optional<std::string> take() { return std::move(copy_); }

 private:
  void begin();

  published_page const& page_;
  pages::page_snapshot smaller_{};
  std::size_t attempt_ = 0, position_ = 0;
  std::string text_{};
  std::optional<http::deflater> encoder_{};
  std::optional<std::string> copy_{};
};

/// Returns the page as gzip. If it is too large, leaves out the oldest texts and incidents. Returns `std::nullopt` if
/// it is too large even then.
std::optional<std::string> write_copy(published_page const& page);
/// Returns null for anything that `write_copy` does not write. Total.
page_ptr read_copy(std::string_view gzip);

/// Returns the names by which requests may find the page, in the form of the keys of names in Redis.
std::vector<std::string> names_in_redis(published_page const& page);
/// Returns the form of one name.
std::string name_in_redis(page_name const& name);

}  // namespace svc::public_pages
