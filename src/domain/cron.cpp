#include "svc/domain/cron.hpp"

#include "svc/core/numbers.hpp"

#include <date/tz.h>

#include <algorithm>
#include <array>
#include <exception>
#include <ranges>
#include <string>
#include <vector>

namespace svc {
namespace {

using names = std::vector<std::string_view>;

names const no_names{};
names const month_names{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
names const day_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

/// The range of one field, and the words for `low`, `low + 1`, ...
struct field_form {
  int low;
  int high;
  names const* words;
};

bool same_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] | 0x20) != word[i]) return false;
  }
  return true;
}

std::optional<int> number(std::string_view text) {
  if (text.size() > 3 || text.starts_with('-')) return std::nullopt;
  return parse_number<int>(text);
}

std::optional<int> value_of(std::string_view text, field_form form) {
  int position = form.low;
  for (auto word : *form.words) {
    if (same_word(text, word)) return position;
    ++position;
  }
  auto const found = number(text);
  return found && *found >= form.low && *found <= form.high ? found : std::nullopt;
}

/// Adds `*`, `N` or `N-M`, each with an optional `/step`; `N/step` runs to the field's end.
template <std::size_t Size>
bool add_range(std::string_view text, field_form form, std::bitset<Size>& into) {
  auto const slash = text.find('/');
  auto const range = text.substr(0, slash);
  auto const step = slash == text.npos ? std::optional(1) : number(text.substr(slash + 1));
  if (!step || *step < 1 || *step > form.high) return false;
  std::optional<int> first = form.low;
  std::optional<int> last = form.high;
  if (range != "*") {
    auto const dash = range.find('-');
    first = value_of(range.substr(0, dash), form);
    if (dash != range.npos) {
      last = value_of(range.substr(dash + 1), form);
    } else if (slash == text.npos) {
      last = first;
    }
  }
  if (!first || !last || *first > *last) return false;
  for (int i = *first; i <= *last; i += *step) into.set(static_cast<std::size_t>(i));
  return true;
}

template <std::size_t Size>
bool read_field(std::string_view text, field_form form, std::bitset<Size>& into) {
  for (;;) {
    auto const comma = text.find(',');
    if (!add_range(text.substr(0, comma), form, into)) return false;
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

/// Returns the five fields, or `std::nullopt` if there are more or fewer.
std::optional<std::array<std::string_view, 5>> split(std::string_view text) {
  std::array<std::string_view, 5> fields;
  std::size_t found = 0;
  for (;;) {
    auto const begin = text.find_first_not_of(" \t");
    if (begin == text.npos) break;
    if (found == fields.size()) return std::nullopt;
    text.remove_prefix(begin);
    fields[found++] = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(fields[found - 1].size());
  }
  return found == fields.size() ? std::optional(fields) : std::nullopt;
}

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Number of days that a search covers. 29 February is at most eight years away (1896 to 1904, 2096 to 2104).
constexpr int searched_days = 9 * 366;
constexpr std::int64_t last_moment = 253'402'300'799;  // 9999-12-31T23:59:59Z, in seconds

bool zone_form(std::string_view name) {
  constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(allowed) == name.npos;
}

/// Returns null if the zone does not exist. The library throws for an unknown zone, and also on a system without
/// tzdata.
date::time_zone const* find_zone(std::string_view name) {
  if (!zone_form(name)) return nullptr;
  try {
    return date::locate_zone(std::string(name));
  } catch (std::exception const&) {
    return nullptr;
  }
}

/// Upper bound of how far clocks have gone back in one step since 1970 (Antarctica/Vostok, 1994: seven hours).
constexpr hours longest_repetition{8};

/// A local time in UTC; `second` is its repetition if the clocks go back.
struct instants {
  date::sys_seconds first;
  std::optional<date::sys_seconds> second{};
  bool skipped = false;  ///< true: the local time does not exist, and `first` is the moment at which the clocks go
                         ///< forward
};

instants to_instants(date::time_zone const* zone, date::local_seconds local) {
  if (zone == nullptr) return {date::sys_seconds(local.time_since_epoch())};
  auto const info = zone->get_info(local);
  if (info.result == date::local_info::nonexistent) return {.first = info.first.end, .skipped = true};
  date::sys_seconds const first(local.time_since_epoch() - info.first.offset);
  if (info.result == date::local_info::unique) return {first};
  return {first, date::sys_seconds(local.time_since_epoch() - info.second.offset)};
}

/// Returns the first local minute that can name an instant after `start`. Later local times have later first
/// instants, so only a repetition can have an earlier local time.
date::local_seconds first_minute(date::time_zone const* zone, date::sys_seconds start, bool repeats) {
  if (zone == nullptr) return date::local_seconds(date::floor<minutes>(start).time_since_epoch());
  auto const here = date::floor<minutes>(zone->to_local(start));
  auto const info = zone->get_info(start);
  bool const near = start - info.begin < longest_repetition || info.end - start < longest_repetition;
  return repeats && near ? here - longest_repetition : here;
}

/// Keeps the earlier time, or `candidate` if `best` is empty.
void keep_earliest(std::optional<date::sys_seconds>& best, date::sys_seconds candidate) {
  if (!best || candidate < *best) best = candidate;
}

/// Returns null for UTC, which needs no tzdata, and an empty value for an unknown zone.
std::optional<date::time_zone const*> zone_of(std::string_view name) {
  if (name == "UTC") return nullptr;
  auto const* const found = find_zone(name);
  return found == nullptr ? std::nullopt : std::optional(found);
}

timestamp to_timestamp(date::sys_seconds seconds) {
  return {std::chrono::duration_cast<microseconds>(seconds.time_since_epoch()).count()};
}

}  // namespace

std::optional<cron_schedule> cron_schedule::parse(std::string_view text) {
  if (text.size() > 255) return std::nullopt;
  auto const fields = split(text);
  if (!fields) return std::nullopt;
  cron_schedule made;
  std::bitset<8> weekdays;
  if (!read_field((*fields)[0], {0, 59, &no_names}, made.minutes_) ||
      !read_field((*fields)[1], {0, 23, &no_names}, made.hours_) ||
      !read_field((*fields)[2], {1, 31, &no_names}, made.days_) ||
      !read_field((*fields)[3], {1, 12, &month_names}, made.months_) ||
      !read_field((*fields)[4], {0, 7, &day_names}, weekdays)) {
    return std::nullopt;
  }
  for (std::size_t day = 0; day < 8; ++day) {
    if (weekdays[day]) made.weekdays_.set(day % 7);
  }
  made.any_day_ = (*fields)[2].front() == '*';
  made.any_weekday_ = (*fields)[4].front() == '*';
  return made;
}

bool is_time_zone(std::string_view name) {
  return name == "UTC" || find_zone(name) != nullptr;
}

std::optional<seconds> offset_at(timestamp moment, std::string_view zone_name) {
  auto const zone = zone_of(zone_name);
  if (!zone) return std::nullopt;
  if (*zone == nullptr) return seconds(0);
  return (*zone)->get_info(date::floor<seconds>(date::sys_time<microseconds>(microseconds(moment.micros)))).offset;
}

bool cron_schedule::on_day(int days_since_epoch) const {
  date::local_days const days{date::days(days_since_epoch)};
  date::year_month_day const ymd(days);
  bool const by_day = days_[static_cast<unsigned>(ymd.day())];
  bool const by_weekday = weekdays_[date::weekday(days).c_encoding()];
  bool const wanted = any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
  return months_[static_cast<unsigned>(ymd.month())] && wanted;
}

bool cron_schedule::names(std::chrono::seconds local) const {
  auto const day = date::floor<date::days>(local);
  auto const hour = date::floor<hours>(local - day);
  auto const minute = date::floor<minutes>(local - day - hour);
  return on_day(static_cast<int>(day.count())) && hours_[static_cast<std::size_t>(hour.count())] &&
         minutes_[static_cast<std::size_t>(minute.count())];
}

bool cron_schedule::names_a_day() const {
  return std::ranges::any_of(std::views::iota(0, searched_days), [&](int day) { return on_day(day); });
}

std::optional<timestamp> cron_schedule::next_after(timestamp after, std::string_view zone_name) const {
  auto const known = zone_of(zone_name);
  if (!known) return std::nullopt;
  auto const* const zone = *known;
  auto const start = date::floor<seconds>(date::sys_time<microseconds>(microseconds(after.micros)));
  if (start.time_since_epoch().count() < 0 || start.time_since_epoch().count() > last_moment) return std::nullopt;

  bool const each_hour = hours_.all();
  auto const seconds = first_minute(zone, start, each_hour);
  std::optional<date::sys_seconds> repetition;
  auto day = date::floor<date::days>(seconds);
  for (int searched = 0; searched < searched_days; ++searched, day += date::days(1)) {
    if (!on_day(day.time_since_epoch().count())) continue;
    for (std::size_t hour = 0; hour < hours_.size(); ++hour) {
      for (std::size_t minute = 0; hours_[hour] && minute < minutes_.size(); ++minute) {
        auto const local = day + hours(hour) + minutes(minute);
        if (!minutes_[minute] || local < seconds) continue;
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

std::vector<scheduled_time> cron_schedule::times_after(timestamp after, std::string_view zone_name,
                                                       std::size_t most) const {
  std::vector<scheduled_time> out;
  auto const zone = zone_of(zone_name);
  while (zone && out.size() < most) {
    auto const next = next_after(out.empty() ? after : out.back().moment, zone_name);
    if (!next) break;
    out.push_back({.moment = *next});
    if (*zone == nullptr) continue;
    date::sys_seconds const moment(std::chrono::duration_cast<seconds>(microseconds(next->micros)));
    out.back().offset = (*zone)->get_info(moment).offset;
    date::local_seconds const local(moment.time_since_epoch() + out.back().offset);
    // The schedule does not name the end of a gap that only stands for a skipped time.
    if (!names(local.time_since_epoch()))
      out.back().change = clock_change::skipped;
    else if ((*zone)->get_info(local).result == date::local_info::ambiguous)
      out.back().change = clock_change::doubled;
  }
  return out;
}

}  // namespace svc
