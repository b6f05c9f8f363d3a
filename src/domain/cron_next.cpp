#include "svc/domain/cron.hpp"

#include <date/tz.h>

#include <algorithm>
#include <exception>
#include <string>

namespace svc {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// 29 February is at most eight years away (1896 to 1904, 2096 to 2104).
constexpr int searched_days = 9 * 366;
constexpr std::int64_t last_moment = 253'402'300'799;  // 9999-12-31T23:59:59Z, in seconds

bool zone_form(std::string_view name) {
  constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(allowed) == name.npos;
}

/// Null when there is no such zone. The library throws for that and for a system without tzdata alike, which
/// is the one reason to catch here.
date::time_zone const* find_zone(std::string_view name) {
  if (!zone_form(name)) return nullptr;
  try {
    return date::locate_zone(std::string(name));
  } catch (std::exception const&) {
    return nullptr;
  }
}

/// What a local time is in UTC; `second` is its repetition when the clocks go back.
struct instants {
  date::sys_seconds first;
  std::optional<date::sys_seconds> second{};
};

instants to_instants(date::time_zone const* zone, date::local_seconds local) {
  if (zone == nullptr) return {date::sys_seconds(local.time_since_epoch())};
  auto const info = zone->get_info(local);
  if (info.result == date::local_info::nonexistent) return {info.first.end};
  date::sys_seconds const first(local.time_since_epoch() - info.first.offset);
  if (info.result == date::local_info::unique) return {first};
  return {first, date::sys_seconds(local.time_since_epoch() - info.second.offset)};
}

/// The earliest of two moments behind `after`, if any.
void keep_earliest(std::optional<date::sys_seconds>& best, date::sys_seconds candidate, date::sys_seconds after) {
  if (candidate > after && (!best || candidate < *best)) best = candidate;
}

}  // namespace

bool is_time_zone(std::string_view name) {
  return name == "UTC" || find_zone(name) != nullptr;
}

std::optional<timestamp> cron_schedule::next_after(timestamp after, std::string_view zone_name) const {
  auto const* zone = zone_name == "UTC" ? nullptr : find_zone(zone_name);
  if (zone_name != "UTC" && zone == nullptr) return std::nullopt;
  auto const start = date::floor<seconds>(date::sys_time<microseconds>(microseconds(after.micros)));
  if (start.time_since_epoch().count() < 0 || start.time_since_epoch().count() > last_moment) return std::nullopt;

  // A day early: where clocks go back over midnight, a moment behind `after` can lie on the day before.
  auto const local_start = zone == nullptr ? date::local_seconds(start.time_since_epoch()) : zone->to_local(start);
  auto day = date::floor<date::days>(local_start) - date::days(1);
  for (int searched = 0; searched < searched_days; ++searched, day += date::days(1)) {
    date::year_month_day const ymd(day);
    bool const by_day = days_[static_cast<unsigned>(ymd.day())];
    bool const by_weekday = weekdays_[date::weekday(day).c_encoding()];
    bool const wanted = any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
    if (!months_[static_cast<unsigned>(ymd.month())] || !wanted) continue;
    std::optional<date::sys_seconds> best;
    for (std::size_t hour = 0; hour < hours_.size(); ++hour) {
      for (std::size_t minute = 0; hours_[hour] && minute < minutes_.size(); ++minute) {
        if (!minutes_[minute]) continue;
        auto const found = to_instants(zone, day + hours(hour) + minutes(minute));
        keep_earliest(best, found.first, start);
        if (found.second && hours_.all()) keep_earliest(best, *found.second, start);
      }
    }
    if (best) return timestamp{std::chrono::duration_cast<microseconds>(best->time_since_epoch()).count()};
  }
  return std::nullopt;
}

}  // namespace svc
