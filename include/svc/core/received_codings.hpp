#pragma once

#include "svc/core/ascii.hpp"

#include <cstddef>
#include <string_view>

namespace svc {

/// Decides whether the body of a received HTTP response has only codings that our clients ask for: `gzip` at most
/// once in `Content-Encoding`, and `chunked` at most once in `Transfer-Encoding`. Each further layer multiplies what
/// a few bytes can cost. A value of one response.
class received_codings {
 public:
  /// Reads one field of the head. Other fields than the two are ignored.
  constexpr void add(std::string_view name, std::string_view value) {
    if (iequals(name, "content-encoding"))
      each_coding(value, [this](std::string_view coding) { add_content(coding); });
    else if (iequals(name, "transfer-encoding"))
      each_coding(value, [this](std::string_view coding) { add_transfer(coding); });
  }

  constexpr bool transfer_supported() const { return !other_transfer_ && chunked_ <= 1; }
  constexpr bool content_supported() const { return !other_content_ && gzip_ <= 1; }
  /// True if the body is one gzip stream.
  constexpr bool gzip() const { return content_supported() && gzip_ == 1; }

 private:
  template <class Use>
  static constexpr void each_coding(std::string_view list, Use use) {
    while (!list.empty()) {
      auto const coding = list.substr(0, list.find(','));
      list.remove_prefix(std::min(list.size(), coding.size() + 1));
      // Empty elements of a list count for nothing (RFC 9110 5.6.1.2).
      if (auto const name = trim(coding); !name.empty()) use(name);
    }
  }
  constexpr void add_content(std::string_view coding) {
    // RFC 9110 8.4.1.3: `x-gzip` is the same. `identity` and `none` mean that there is no coding.
    if (iequals(coding, "gzip") || iequals(coding, "x-gzip"))
      ++gzip_;
    else if (!iequals(coding, "identity") && !iequals(coding, "none"))
      other_content_ = true;
  }
  constexpr void add_transfer(std::string_view coding) {
    if (iequals(coding, "chunked"))
      ++chunked_;
    else if (!iequals(coding, "identity"))
      other_transfer_ = true;
  }

  std::size_t gzip_ = 0, chunked_ = 0;
  bool other_content_ = false, other_transfer_ = false;
};

}  // namespace svc
