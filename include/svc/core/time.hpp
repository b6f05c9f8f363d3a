#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// A moment by a server's clock (PostgreSQL's or Redis's): microseconds since the Unix epoch.
struct timestamp {
  std::int64_t micros = 0;

  friend auto operator<=>(timestamp const&, timestamp const&) = default;
  timestamp operator+(std::chrono::microseconds d) const { return {micros + d.count()}; }
  std::chrono::microseconds operator-(timestamp other) const {
    return std::chrono::microseconds(micros - other.micros);
  }
};

/// Returns RFC 3339 in UTC with milliseconds (truncated): `2026-11-20T10:11:12.345Z`.
std::string to_rfc3339(timestamp t);
inline constexpr std::size_t rfc3339_size = 24;
/// Writes the text of `to_rfc3339` and returns its end.
char* write_rfc3339(char* out, timestamp t);
/// Parses an RFC 3339 date-time with any offset and up to microseconds.
std::optional<timestamp> parse_rfc3339(std::string_view text);
/// Returns the IMF-fixdate (RFC 9110 section 5.6.7), in whole seconds.
std::string to_http_date(timestamp t);
/// Returns the IMF-fixdate of the system clock, cached for a second per thread.
std::string_view http_date_now();
/// Returns the system's time, only for logs, and for limit headers before the database's time is known.
timestamp system_now();

}  // namespace svc
