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

}  // namespace svc::model::monitors
