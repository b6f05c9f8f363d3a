#pragma once

#include "svc/core/time.hpp"

#include <bitset>
#include <optional>
#include <string_view>

namespace svc {

/// A schedule of five fields: minute, hour, day of month, month, day of week. A value.
///
/// Fields take `*`, numbers, ranges, lists and steps; months and days also their three English letters; 7 is
/// Sunday like 0. `N/STEP` goes from N to the field's end; a step is at most the field's highest number. When both
/// days are restricted, either is enough (POSIX crontab).
class cron_schedule {
 public:
  /// Nothing when the text is not a schedule; any bytes are safe.
  static std::optional<cron_schedule> parse(std::string_view text);

  /// The first moment after `after` that the schedule names in this IANA zone. Where the hour field names every hour
  /// (`*`), every hour that really passes counts: one that the clocks skip does not, one that comes twice counts each
  /// time. Otherwise a local time that is skipped counts at the end of the gap, and one that comes twice counts once.
  /// Nothing when the zone is unknown or no such day comes within nine years (30 February).
  std::optional<timestamp> next_after(timestamp after, std::string_view zone) const;

  /// Returns true if some day of the calendar matches; 30 February never does. Needs no time zones.
  bool names_a_day() const;

 private:
  /// Whether the schedule names this local day.
  bool on_day(int days_since_epoch) const;

  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;
  bool any_day_ = false;      ///< the day of month begins with `*`
  bool any_weekday_ = false;  ///< the day of week begins with `*`
};

/// Whether the system's tzdata has a zone (or an alias) of this name. `UTC` always exists.
bool is_time_zone(std::string_view name);

}  // namespace svc
