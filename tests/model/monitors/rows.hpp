#pragma once

#include "model/monitors/world.hpp"

namespace svc::model::monitors {

/// A vote after a result.
kept next_state(kept const& record, u8 outcome, u8 began, world const& where, bool outage_open);
alerting::location_state as_location(kept const& k);

outage_row const* open_outage(database const& database);

/// What the real code decides on these rows.
alerting::decision decide_on(database const& rows, u8 now, u8 id, world const& where, rules const& rules);
/// Decides, and writes that. What begins takes the next id.
void run_decision(database& database, u8 now, u8& ids, world const& where, rules const& rules);

/// The first statement of an edit, which changes what users set; then what that ends.
void set(database& database, edit edit, u8 now, rules const& rules);
void end_what_is_open(database& database, edit edit, u8 now, world const& where, rules const& rules);

/// Commits what a transaction wrote on rows that others may have changed since, if they were not locked.
/// `location`: whose check row it wrote; none: `max_locations`.
void commit(database& target, database const& draft, u8 location, bool is_edit);

}  // namespace svc::model::monitors
