#pragma once

#include "model/monitors/world.hpp"

// Windows, the parent and the limit of changes: what holds failures back.

namespace svc::model::monitors {

/// Returns true if an occurrence covers this time, or the parent is down.
bool is_held(database const& database, u8 now);
/// Writes the result of a parent's check. It makes the monitor decide if `sees_child`.
void check_parent(database& database, u8 outcome, u8 now, bool sees_child, world const& where, rules const& rules);

/// Adds what holds failures back, as far as the decision's transaction reads it.
void add_holds(database const& rows, world const& where, u8 now, alerting::monitor_state& out);
/// Changes the inputs of a decision as if a rule about holds were off.
void mutate_inputs(alerting::monitor_state& m, u8 now, rules const& rules);
/// Changes a decision as if a rule about holds were off.
void mutate_outcome(alerting::decision& made, alerting::monitor_state const& m, database const& rows, u8 now,
                    rules const& rules);
/// Writes what the decision says about the outage that is open now.
void write_hold(database& database, alerting::decision const& made);
/// The part of an edit's first statement that changes what holds failures back.
void set_holds(database& database, edit edit, u8 now, world const& where, rules const& rules);

}  // namespace svc::model::monitors
