#pragma once

#include "svc/core/time.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// The whole text of a file, or of stdin for `-`. Throws `bad_usage` when it cannot be read, is longer than any body
/// that the service takes, or is not UTF-8. `option` names the option of the path in messages.
std::string text_of_file(std::string const& path, std::string const& option = "--file");

/// Returns the bytes of a file, or of stdin for `-`. Throws `bad_usage` if it cannot be read or has more than `most`
/// bytes.
std::string bytes_of_file(std::string const& path, std::size_t most);

/// Seconds that a count and its unit spell: `45s`, `30m`, `12h`, `90d`, `2w`; a bare number is seconds, the unit of
/// the API. Returns `std::nullopt` for anything else, and for more than a century.
std::optional<std::int64_t> seconds_spelled(std::string_view text);
/// The same for an option that must be a duration; throws `bad_usage` otherwise.
std::int64_t duration_argument(std::string const& text, std::string const& option);
/// Returns whole minutes, spelled the same way. Throws `bad_usage` for zero minutes and for parts of a minute.
std::int64_t minutes_argument(std::string const& text, std::string const& option);
/// Returns whole hours, spelled the same way; zero is allowed. Throws `bad_usage` for parts of an hour.
std::int64_t hours_argument(std::string const& text, std::string const& option);

/// A schedule of five fields, or one of crontab's names such as `@daily`, as five fields. Throws `bad_usage`, which
/// names the field that is wrong.
std::string schedule_argument(std::string const& text, std::string const& option);

/// Returns the value of a JSON text. Throws `bad_usage` with line and column of the first mistake; `source` names the
/// text in it.
boost::json::value json_argument(std::string_view text, std::string const& source);

/// Returns the moment that a flag names, as the API reads it: RFC 3339; how long before `now`: `-2h`, `30m`, `7d`,
/// `2w`; or the start of a day in local time: `2026-11-20`, `today`, `yesterday`.
/// Throws `bad_usage` for anything else.
std::string moment_of(std::string_view text, timestamp now);

/// Returns the moment of planned work, as the API reads it: RFC 3339; `now`; how long after `now`: `2h`, `+30m`,
/// `7d`; or a local time: `22:00` (the next one), `tomorrow`, `tomorrow 22:00`, `2026-12-01 22:00`. Throws
/// `bad_usage` for anything else, and for a local time that does not exist.
std::string planned_moment_of(std::string_view text, timestamp now);

}  // namespace svc::cli
