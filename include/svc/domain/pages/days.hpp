#pragma once

#include "svc/core/time.hpp"
#include "svc/domain/pages/snapshot.hpp"
#include "svc/domain/pages/status.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// The days of components. Everything here is pure.

namespace svc::pages {

/// A day in a time zone.
struct local_day {
  std::int64_t day = 0;   ///< days since 1970-01-01
  timestamp starts_at{};  ///< local midnight, or the first moment after it if the clock skips it
  timestamp ends_at{};    ///< the start of the next day
};

/// Returns the local day of a moment. An unknown zone is UTC.
local_day day_of_moment(std::string_view zone, timestamp moment);
/// Returns that day of the zone.
local_day day_in_zone(std::string_view zone, std::int64_t day);

/// A period in which a monitor was down. `known` is the share of it, 0 to 1, that conclusive results cover.
struct down_period {
  timestamp starts_at{}, ends_at{};
  double known = 1;
};

/// A day of one monitor: the seconds that conclusive results cover, and its outages, which may exceed the day.
struct monitor_day {
  std::int64_t observed_seconds = 0;
  std::vector<down_period> downs{};
};

/// A period in which an incident or maintenance gave a component a status.
struct status_period {
  timestamp starts_at{}, ends_at{};
  component_status status = component_status::operational;
};

/// Returns the bar of a component's day up to `until`. Downtime is the time in which the rule gives an outage; the
/// observed time is the mean over the monitors that have observed time. The worst status is that of the rule or of a
/// period; it is unknown if nothing was observed.
day_bar bar_of_day(std::span<monitor_day const> monitors, aggregation rule, std::span<status_period const> periods,
                   local_day const& day, timestamp until);

}  // namespace svc::pages
