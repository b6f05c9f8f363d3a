#pragma once

#include "store/monitors/verdict_rows.hpp"
#include "svc/domain/monitoring/alerting/decide.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <optional>
#include <vector>

// Results and decisions on monitors that are locked: the steps that all transactions of that kind share.

namespace svc::store {

/// Whether a result counts in this row, which is locked: once for its slot, or while its request is open.
bool counts(locked_monitor const& monitor, location_row const& row, arrived_result const& result,
            std::vector<uuid> const& open_requests);

/// What is decided in a transaction, and lives as long as its queries are made.
struct decision_step {
  locked_monitor* monitor;
  alerting::decision made;
  std::optional<voted_result> counted{};
};

/// By the votes as they are.
alerting::decision decide_now(locked_monitor const& monitor, timestamp now);

/// Lets the result change its row, and decides by all of them.
decision_step count_and_decide(locked_monitor& monitor, location_row& row, arrived_result result, timestamp now);

/// What writes the results, which are of this location, and the decisions. The answer to the first query, if a result
/// is among them, has a row for each that counted.
std::vector<postgres::query> writes_of(std::vector<decision_step> const& steps, uuid location, timestamp now);

/// The longest due, of which others may have locked some; locked in the order of the key, as all do. `due` is a
/// SELECT of `monitor_id`; $1 how many.
#define SVC_TAKE_DUE_MONITORS(due)                                               \
  "WITH due AS MATERIALIZED (" due                                               \
  " LIMIT 4 * $1) SELECT m.id FROM due JOIN monitors m ON m.id = due.monitor_id" \
  " ORDER BY m.id LIMIT $1 FOR NO KEY UPDATE OF m SKIP LOCKED"

}  // namespace svc::store
