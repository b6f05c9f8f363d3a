#pragma once

#include "model/monitors/world.hpp"

namespace svc::model::monitors {

/// Returns the vote after a result.
kept next_state(kept const& record, u8 outcome, u8 began, world const& where, bool outage_open);
alerting::location_state as_location(kept const& k);

outage_row const* open_outage(database const& database);

/// Returns the decision of the real code on these rows.
alerting::decision decide_on(database const& rows, u8 now, u8 id, world const& where, rules const& rules);
/// Decides, and writes the decision. A new outage or period takes the next id.
void run_decision(database& database, u8 now, u8& ids, world const& where, rules const& rules);

/// The first function is the first statement of an edit, which changes the settings; the second one writes the
/// endings.
void set(database& database, edit edit, u8 now, world const& where, rules const& rules);
void end_what_is_open(database& database, edit edit, u8 now, world const& where, rules const& rules);

/// Commits the writes of a transaction on rows that other transactions may have changed since, unless they were
/// locked. `location` is the location whose check row it wrote; `max_locations` if there is none.
void commit(database& target, database const& draft, u8 location, bool is_edit);

// Windows, the parent and the limit of changes: what holds failures back.

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
