// Moments of planned work as people type them.
#include "cli/commands/arguments.hpp"
#include "cli/console/failure.hpp"
#include "svc/core/numbers.hpp"

#include <ctime>
#include <optional>

namespace svc::cli {
namespace {

struct wall_clock {
  int hour = 0, minute = 0;
};

/// Reads `22:00`.
std::optional<wall_clock> wall_clock_of(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  auto const hour = parse_number<std::uint8_t>(text.substr(0, 2));
  auto const minute = parse_number<std::uint8_t>(text.substr(3));
  if (!hour || !minute || *hour > 23 || *minute > 59) return std::nullopt;
  return wall_clock{.hour = *hour, .minute = *minute};
}

/// Reads `2026-12-01`, `today` and `tomorrow`. `today` is the current local day.
std::optional<std::tm> planned_day_of(std::string_view text, std::tm const& today) {
  std::tm out{};
  out.tm_year = today.tm_year;
  out.tm_mon = today.tm_mon;
  out.tm_mday = today.tm_mday + (text == "tomorrow" ? 1 : 0);
  if (text == "today" || text == "tomorrow") return out;
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  auto const year = parse_number<std::uint16_t>(text.substr(0, 4));
  auto const month = parse_number<std::uint8_t>(text.substr(5, 2));
  auto const day = parse_number<std::uint8_t>(text.substr(8));
  if (!year || !month || !day || *month == 0 || *month > 12 || *day == 0 || *day > 31) return std::nullopt;
  out.tm_year = *year - 1900;
  out.tm_mon = *month - 1;
  out.tm_mday = *day;
  // mktime makes the 2nd of March of the 30th of February. Noon exists on every day.
  auto noon = out;
  noon.tm_hour = 12;
  noon.tm_isdst = -1;
  bool const exists = std::mktime(&noon) != -1 && noon.tm_mday == *day;
  return exists ? std::optional(out) : std::nullopt;
}

/// Returns the moment of a local time, or `std::nullopt` if the clocks skip it on that day.
std::optional<timestamp> local_moment(std::tm day, wall_clock time) {
  day.tm_hour = time.hour;
  day.tm_min = time.minute;
  day.tm_isdst = -1;
  auto const seconds = std::mktime(&day);
  bool const exists = seconds != -1 && day.tm_hour == time.hour && day.tm_min == time.minute;
  return exists ? std::optional(timestamp{static_cast<std::int64_t>(seconds) * 1'000'000}) : std::nullopt;
}

/// Reads a local day, a local time or both.
std::optional<timestamp> local_moment_of(std::string_view text, timestamp now) {
  auto const seconds = static_cast<std::time_t>(now.micros / 1'000'000);
  std::tm today{};
  if (::localtime_r(&seconds, &today) == nullptr) return std::nullopt;
  if (auto const time = wall_clock_of(text)) {
    auto const first = local_moment(*planned_day_of("today", today), *time);
    return first && *first > now ? first : local_moment(*planned_day_of("tomorrow", today), *time);
  }
  auto const end = text.find_first_of(" T");
  auto const day = planned_day_of(text.substr(0, end), today);
  if (!day || end == std::string_view::npos) return day ? local_moment(*day, {}) : std::nullopt;
  auto const time = wall_clock_of(text.substr(end + 1));
  return time ? local_moment(*day, *time) : std::nullopt;
}

/// Returns the distance from now in seconds. The text may have a plus, and must have a unit.
std::optional<std::int64_t> seconds_ahead(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || std::string_view("smhdw").find(text.back()) == std::string_view::npos) return std::nullopt;
  return seconds_spelled(text);
}

}  // namespace

std::string planned_moment_of(std::string_view text, timestamp now) {
  if (parse_rfc3339(text)) return std::string(text);
  if (text == "now") return to_rfc3339(now);
  if (auto const ahead = seconds_ahead(text)) return to_rfc3339(now + std::chrono::seconds(*ahead));
  if (auto const moment = local_moment_of(text, now)) return to_rfc3339(*moment);
  throw bad_usage("'" + std::string(text) + "' is not a time.",
                  "Write 2h for a time from now (s, m, h, d, w), a local time, 22:00, 'tomorrow 22:00' or "
                  "'2026-12-01 22:00', or RFC 3339, 2026-12-01T22:00:00Z.");
}

}  // namespace svc::cli
