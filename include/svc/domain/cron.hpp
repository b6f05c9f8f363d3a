#pragma once

#include "svc/core/time.hpp"

#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace svc {

/// A change of the clocks that affects a time of a schedule.
enum class clock_change : std::uint8_t {
  none,
  skipped,  ///< the schedule names a local time that the clocks skip; this is the end of the gap
  doubled,  ///< the local time occurs twice
};

/// One time of a schedule. A value.
struct scheduled_time {
  timestamp moment;
  std::chrono::seconds offset{};  ///< of local time from UTC
  clock_change change = clock_change::none;
};

/// A schedule of five fields: minute, hour, day of month, month, day of week. A value.
///
/// Fields take `*`, numbers, ranges, lists and steps; months and days also their three English letters; 7 is
/// Sunday like 0. `N/STEP` goes from N to the field's end; a step is at most the field's highest number. When both
/// days are restricted, either is enough (POSIX crontab).
class cron_schedule {
 public:
  /// Returns `std::nullopt` if the text is not a schedule. Total.
  static std::optional<cron_schedule> parse(std::string_view text);

  /// Returns the first moment after `after` that the schedule names in this IANA zone. If the hour field is
  /// `*`, each hour that really passes counts: an hour that the clocks skip does not count, a repeated hour
  /// counts twice. Otherwise a skipped local time counts at the end of the gap, and a repeated one counts
  /// once. Returns `std::nullopt` if the zone is unknown, or no such day follows within nine years (30
  /// February).
  std::optional<timestamp> next_after(timestamp after, std::string_view zone) const;

  /// Returns the first moments after `after`, at most `most`, the earliest first. Stops where `next_after` finds
  /// none.
  std::vector<scheduled_time> times_after(timestamp after, std::string_view zone, std::size_t most) const;

  /// Returns true if some day of the calendar matches; 30 February never does. Needs no time zones.
  bool names_a_day() const;

 private:
  /// Returns true if the schedule names this local day.
  bool on_day(int days_since_epoch) const;
  /// Returns true if the schedule names this local time, in seconds since the local 1970-01-01.
  bool names(std::chrono::seconds local) const;

  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;
  bool any_day_ = false;      ///< the day of month begins with `*`
  bool any_weekday_ = false;  ///< the day of week begins with `*`
};

/// Returns true if the system's tzdata has a zone (or an alias) of this name. `UTC` always exists.
bool is_time_zone(std::string_view name);

/// Returns the offset of local time from UTC at that moment, or `std::nullopt` if the zone is unknown.
std::optional<std::chrono::seconds> offset_at(timestamp moment, std::string_view zone);

}  // namespace svc
