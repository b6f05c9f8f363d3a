#pragma once

#include "domain/monitoring/alerting/aggregate.hpp"
#include "svc/domain/monitoring/alerting/decide.hpp"

#include <optional>

// Maintenance and parents hold the alerts of a monitor back.

namespace svc::alerting {

/// The reasons to keep the failures of an outage back at a decision. A value.
struct hold {
  bool holds = false;
  std::optional<suppression> reason{};  ///< of new failures; empty while only a requested check is missing
  std::optional<timestamp> look{};      ///< the time at which that may end without a new result
};

/// Returns the reason to keep the start of a period back, or nothing.
std::optional<suppression> hold_of_period(monitor_state const& monitor, timestamp now);

/// Requires that the verdict becomes down, and that `out` has the outage if it opens now. Sets in `out` the state of
/// the hold, its cause, and the checks that are to be requested.
hold find_hold(monitor_state const& monitor, aggregated_results const& results, timestamp now, decision& out);

/// Returns true if the failure may still be sent.
bool is_held_back(written_alert const& failure);

}  // namespace svc::alerting
