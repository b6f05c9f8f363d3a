#pragma once

#include "store/monitors/verdict_rows.hpp"

#include <vector>

// Interruptions of monitors: checks stop, or another configuration is checked from now on.

namespace svc::store {

/// Returns a query that makes an instance compute the heartbeat's deadlines again, from its settings after COMMIT.
postgres::query plan_heartbeat_soon(uuid monitor);

/// Ends the open outage and period, and clears the votes. `goes_on` is true if the monitor continues to be checked.
void interrupt_monitor(locked_monitor const& monitor, alerting::end_reason reason, timestamp now, bool goes_on,
                       std::int64_t check_version, std::vector<postgres::query>& queries);

/// Interrupts all enabled monitors of a project. Their schedulers learn of the change, and results of running checks
/// do not count. Locks the monitors; returns the queries that write the interruptions.
task<std::vector<postgres::query>> interrupt_monitors_of(postgres::unit_of_work& work, uuid project, bool goes_on);

}  // namespace svc::store
