#pragma once

#include "arguments.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::bench {

/// The texts of a measurement's requests: that of `--url`, or those of `--requests FILE` in turn, each with every
/// `--header` and the `--body`. A line of the file is `METHOD TARGET TOKEN`, or `METHOD TARGET SESSION PROJECT` for a
/// request as a page of the service makes it. With `--idempotency yes` each request
/// gets an `Idempotency-Key` of its own.
class request_rotation {
 public:
  /// `method` is the default for `--method`. `option` names the file, in place of `--requests`. Throws
  /// std::runtime_error when the file is missing, empty or malformed.
  request_rotation(arguments const& arguments, address const& where, std::string const& method,
                   std::string const& option = "requests");

  /// Valid until the next call.
  std::string_view next();

 private:
  struct request {
    std::string text;
    std::size_t key_at;  ///< where the key stands in the text
  };

  /// `credential` are whole header lines.
  void add(std::string const& method, std::string const& target, std::string const& credential);

  address where_;
  std::string body_;
  std::vector<std::string> headers_;
  bool keyed_;
  std::vector<request> all_{};
  std::size_t position_ = 0;
  std::uint64_t series_;  ///< random, so that two processes never make the same key
  std::uint64_t keys_ = 0;
};

}  // namespace svc::bench
