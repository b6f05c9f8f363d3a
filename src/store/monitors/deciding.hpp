#pragma once

#include "store/monitors/verdict_rows.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/domain/monitoring/alerting/decide.hpp"
#include "svc/postgres/query.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <optional>
#include <vector>

// Results and decisions on locked monitors: the steps that all such transactions share.

namespace svc::store {

/// True if a result counts in this locked row: once for its slot, or while its request is open.
bool counts(locked_monitor const& monitor, location_row const& row, arrived_result const& result,
            std::vector<uuid> const& open_requests);

/// A decision within a transaction. It must live until its queries are built.
struct decision_step {
  locked_monitor* monitor;
  alerting::decision made;
  std::optional<counted_result> counted{};
};

/// Decides on the current votes.
alerting::decision decide_now(locked_monitor const& monitor, timestamp now);

/// Applies the result to its row, and decides on all rows.
decision_step count_and_decide(locked_monitor& monitor, location_row& row, arrived_result result, timestamp now);

/// Returns the queries that write the decisions and the results of this location. If there are results, the first
/// query returns a row for each result that counted.
std::vector<postgres::query> writes_of(std::vector<decision_step> const& steps, uuid location, timestamp now);

/// Calls the listeners with the monitors, outages and alerts that these decisions have changed, and with the alerts
/// that they have suppressed. Requires that they were committed.
void notify_decided(decision_listeners const& listeners, std::vector<decision_step> const& steps);

/// Returns the query that counts these results, which belong to different monitors. A result counts only if its row
/// still has the `revision` from which the vote was computed. The query returns the positions of the results that
/// counted. With `lazily` the COMMIT does not wait for the disk.
postgres::query count_query(uuid location, std::vector<counted_result> const& results, bool lazily);

/// Takes the monitors that have been due for the longest time, except those that other transactions have locked. All
/// transactions lock in the order of the key. `due` is a SELECT of `monitor_id`; $1 is the number.
consteval auto due_monitors_sql(auto const& due) {
  return sql("WITH due AS MATERIALIZED (", due,
             " LIMIT 4 * $1) SELECT m.id FROM due JOIN monitors m ON m.id = due.monitor_id"
             " ORDER BY m.id LIMIT $1 FOR NO KEY UPDATE OF m SKIP LOCKED");
}

}  // namespace svc::store
