#pragma once

#include "domain/monitoring/alerting/hold.hpp"
#include "svc/domain/monitoring/alerting/decide.hpp"

#include <optional>

// These functions add alerts to a decision.

namespace svc::alerting {

void write_failures(monitor_state const& monitor, uuid outage, hold const& held, timestamp now, decision& decision);
/// Releases failures that were muted, held back, or left out because of the limit of changes.
void release_failures(monitor_state const& monitor, hold const& held, timestamp now, decision& decision);
/// Writes the next reminder if it is due. Requires that nothing holds the outage back.
void write_reminder(monitor_state const& monitor, timestamp now, decision& decision);
/// Returns the time of the next reminder after this decision, or `std::nullopt` if no reminder follows.
std::optional<timestamp> next_reminder(monitor_state const& monitor, timestamp now, decision const& made);
void end_outage(monitor_state const& monitor, outage_end const& end, decision& decision);

/// Requires `of_verdict` to be degraded or error.
void begin_period(monitor_state const& monitor, verdict of_verdict, uuid id, timestamp now, decision& decision);
void end_period(monitor_state const& monitor, verdict of_verdict, decision& decision);

}  // namespace svc::alerting
