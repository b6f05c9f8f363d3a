#pragma once

#include "svc/domain/monitoring/alerting/decide.hpp"

#include <optional>

// Who is told what. Each adds to a decision what its name says.

namespace svc::alerting {

void write_failures(monitor_state const& of, uuid outage, timestamp now, decision& to);
/// Failures that were muted, or left out because of the limit of changes, and are sent now.
void release_failures(monitor_state const& of, timestamp now, decision& to);
/// The next reminder, if it is due.
void write_reminder(monitor_state const& of, timestamp now, decision& to);
/// When that is, after this decision; nothing if none will be.
std::optional<timestamp> next_reminder(monitor_state const& of, timestamp now, decision const& made);
void end_outage(monitor_state const& of, outage_end const& how, decision& to);

/// `of_verdict` is degraded or error.
void begin_period(monitor_state const& of, verdict of_verdict, uuid id, timestamp now, decision& to);
void end_period(monitor_state const& of, verdict of_verdict, decision& to);

}  // namespace svc::alerting
