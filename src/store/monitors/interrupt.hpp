#pragma once

#include "store/monitors/verdict_rows.hpp"

#include <vector>

// What ends because nobody checks on, or another thing is checked from here on.

namespace svc::store {

/// What makes a heartbeat's deadlines be computed anew, by its settings as they are after COMMIT.
postgres::query plan_heartbeat_soon(uuid monitor);

/// Ends what is open, and forgets the votes. `goes_on`: it is checked from here on.
void interrupt_monitor(locked_monitor const& monitor, alerting::end_reason reason, timestamp now, bool goes_on,
                       std::int64_t check_version, std::vector<postgres::query>& queries);

/// The same for all monitors of a project that are switched on: whoever checks them hears of it, and what is under
/// way does not count. Locks them; returns what writes it.
task<std::vector<postgres::query>> interrupt_monitors_of(postgres::unit_of_work& work, uuid project, bool goes_on);

}  // namespace svc::store
