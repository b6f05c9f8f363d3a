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

/// No clocks have been put back by more since 1970 (Antarctica/Vostok, 1994: seven hours).
constexpr hours longest_repetition{8};

/// What a local time is in UTC; `second` is its repetition when the clocks go back.
struct instants {
  date::sys_seconds first;
  std::optional<date::sys_seconds> second{};
  bool skipped = false;  ///< there is no such time: `first` is when the clocks have gone forward
};

instants to_instants(date::time_zone const* zone, date::local_seconds local) {
  if (zone == nullptr) return {date::sys_seconds(local.time_since_epoch())};
  auto const info = zone->get_info(local);
  if (info.result == date::local_info::nonexistent) return {.first = info.first.end, .skipped = true};
  date::sys_seconds const first(local.time_since_epoch() - info.first.offset);
  if (info.result == date::local_info::unique) return {first};
  return {first, date::sys_seconds(local.time_since_epoch() - info.second.offset)};
}

/// The local minute from which on names can lie behind `start`. Later local times have later first instants, so
/// only a repetition can be named by an earlier one.
date::local_seconds first_minute(date::time_zone const* zone, date::sys_seconds start, bool repeats) {
  if (zone == nullptr) return date::local_seconds(date::floor<minutes>(start).time_since_epoch());
  auto const here = date::floor<minutes>(zone->to_local(start));
  auto const info = zone->get_info(start);
  bool const near = start - info.begin < longest_repetition || info.end - start < longest_repetition;
  return repeats && near ? here - longest_repetition : here;
}

/// The earlier one of two, if there are two.
void keep_earliest(std::optional<date::sys_seconds>& best, date::sys_seconds candidate) {
  if (!best || candidate < *best) best = candidate;
}

timestamp to_timestamp(date::sys_seconds at) {
  return {std::chrono::duration_cast<microseconds>(at.time_since_epoch()).count()};
}

}  // namespace

bool is_time_zone(std::string_view name) {
  return name == "UTC" || find_zone(name) != nullptr;
}

bool cron_schedule::on_day(int days_since_epoch) const {
  date::local_days const of{date::days(days_since_epoch)};
  date::year_month_day const ymd(of);
  bool const by_day = days_[static_cast<unsigned>(ymd.day())];
  bool const by_weekday = weekdays_[date::weekday(of).c_encoding()];
  bool const wanted = any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
  return months_[static_cast<unsigned>(ymd.month())] && wanted;
}

std::optional<timestamp> cron_schedule::next_after(timestamp after, std::string_view zone_name) const {
  auto const* zone = zone_name == "UTC" ? nullptr : find_zone(zone_name);
  if (zone_name != "UTC" && zone == nullptr) return std::nullopt;
  auto const start = date::floor<seconds>(date::sys_time<microseconds>(microseconds(after.micros)));
  if (start.time_since_epoch().count() < 0 || start.time_since_epoch().count() > last_moment) return std::nullopt;

  bool const each_hour = hours_.all();
  auto const from = first_minute(zone, start, each_hour);
  std::optional<date::sys_seconds> repetition;
  auto day = date::floor<date::days>(from);
  for (int searched = 0; searched < searched_days; ++searched, day += date::days(1)) {
    if (!on_day(day.time_since_epoch().count())) continue;
    for (std::size_t hour = 0; hour < hours_.size(); ++hour) {
      for (std::size_t minute = 0; hours_[hour] && minute < minutes_.size(); ++minute) {
        auto const local = day + hours(hour) + minutes(minute);
        if (!minutes_[minute] || local < from) continue;
        auto const found = to_instants(zone, local);
        if (each_hour && found.skipped) continue;
        if (each_hour && found.second && *found.second > start) keep_earliest(repetition, *found.second);
        if (found.first <= start) continue;
        keep_earliest(repetition, found.first);
        return to_timestamp(*repetition);
      }
    }
  }
  return repetition ? std::optional(to_timestamp(*repetition)) : std::nullopt;
}

}  // namespace svc
