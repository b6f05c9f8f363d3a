#pragma once

#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/monitoring/windows/window.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Plans the occurrences of maintenance windows and checks their rules. Pure; needs time zones.

namespace svc::windows {

/// A planned occurrence without an id. A value.
struct interval {
  timestamp starts_at{};
  timestamp ends_at{};

  friend bool operator==(interval const&, interval const&) = default;
};

/// The occurrences of a window that have not started at the time of the plan, or whose start was missed. A value.
struct window_plan {
  std::vector<interval> ahead{};             ///< the earliest first, at most `most_ahead`
  std::optional<timestamp> planned_until{};  ///< of a recurring window: later starts are not in `ahead`
  std::optional<timestamp> extend_at{};      ///< of a recurring window: the time of the next plan
  /// The end of the window's last occurrence; empty while others follow after `ahead`.
  std::optional<timestamp> over_at{};
};

/// Returns the plan of a window that happens once.
window_plan plan_once(single_rule const& rule);

/// Returns the plan of a recurring window: its starts later than `after`, not before `first_at` and before `until`,
/// up to `longest_ahead` from `now`, and in any case the first of them. `active_until` is the end of the active
/// occurrence. A window without later starts is over at that end, or at `now` if no occurrence is active. Requires a
/// valid rule; a zone that the system does not know any more gives no starts, and `over_at` stays empty.
window_plan plan_recurring(recurring_rule const& rule, timestamp after, timestamp now,
                           std::optional<timestamp> active_until = std::nullopt);

/// Returns the value of `after` for the plan that extends a window. Starts that were missed while no instance ran
/// count if their occurrences last until now.
timestamp extension_start(recurring_rule const& rule, timestamp planned_until, timestamp now);

/// Checks the settings of a new window: its targets, its one rule, an end in the future, and the distances of the
/// next 100 starts. `details` name the contract's members. Errors: validation_failed.
result<> check_settings(window_settings const& wanted, timestamp now);

/// Checks new settings of a stored window. While an occurrence is active, its window keeps `startsAt` and stays
/// either single or recurring. Errors: window_over, validation_failed.
result<> check_change(window const& current, window_settings const& wanted, timestamp now);

/// Returns the end of the active occurrence after a change of its window. A new duration of a recurring window moves
/// this end, but not into the past.
timestamp end_after_change(window const& current, window_settings const& wanted, timestamp now);

/// Returns the wall time in this zone with its offset: `2026-11-22T03:00:00.000+01:00`. Returns the time in UTC if
/// the zone is unknown.
std::string local_time(timestamp time, std::string_view zone);

}  // namespace svc::windows
