#pragma once

#include "svc/domain/monitoring/alerting/decide.hpp"

#include <optional>

// Who is told what. Each adds to a decision what its name says.

namespace svc::alerting {

void write_failures(monitor_state const& monitor, uuid outage, timestamp now, decision& decision);
/// Failures that were muted, or left out because of the limit of changes, and are sent now.
void release_failures(monitor_state const& monitor, timestamp now, decision& decision);
/// The next reminder, if it is due.
void write_reminder(monitor_state const& monitor, timestamp now, decision& decision);
/// When that is, after this decision; nothing if none will be.
std::optional<timestamp> next_reminder(monitor_state const& monitor, timestamp now, decision const& made);
void end_outage(monitor_state const& monitor, outage_end const& end, decision& decision);

/// `of_verdict` is degraded or error.
void begin_period(monitor_state const& monitor, verdict of_verdict, uuid id, timestamp now, decision& decision);
void end_period(monitor_state const& monitor, verdict of_verdict, decision& decision);

}  // namespace svc::alerting
