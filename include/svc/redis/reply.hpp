#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

/// One RESP2 value, owned. Immutable after parsing.
struct reply {
  enum class type : std::uint8_t { nil, integer, status, error, bulk, array };

  type kind = type::nil;
  std::int64_t number = 0;        ///< integer
  std::string text{};             ///< status, error, bulk
  std::vector<reply> elements{};  ///< array

  bool is_error() const { return kind == type::error; }
  bool is_nil() const { return kind == type::nil; }
  /// The first word of an error reply: NOSCRIPT, READONLY, LOADING, OOM, MISCONF, WRONGTYPE, ERR ...
  std::string_view error_code() const;
};

/// The delivery of a command. Only `answered` proves what Redis did. A `missed` command may still run. No byte of an
/// `unsent` command has left this process.
enum class delivery : std::uint8_t { answered, missed, unsent };

struct outcome {
  delivery state = delivery::unsent;
  reply value{};

  bool ok() const { return state == delivery::answered && !value.is_error(); }
  /// True if Redis works, but until the end of its deadline the command's keys lay on two masters of a Cluster. Their
  /// slot is being moved.
  bool moving() const { return state == delivery::answered && value.error_code() == "TRYAGAIN"; }
};

}  // namespace svc::redis
