#pragma once

#include "svc/postgres/pool.hpp"
#include "svc/store/trigger_batcher.hpp"

#include <span>
#include <unordered_map>
#include <vector>

namespace svc::store {

/// One trigger as it goes to the database.
struct trigger_row {
  uuid run;    ///< the new run's id
  uuid audit;  ///< its audit row's
  editor by;
  trigger_request wanted;
  bool room = true;  ///< another run may be queued; else queue_full, unless an earlier one is the answer
};

using trigger_verdict = result<triggered_run>;

/// Runs all rows in one transaction and one round trip; returns a verdict for each, in order.
/// idempotency_in_progress: another transaction holds the row's key, nothing was made. No two rows may share a key.
task<postgres::outcome<std::vector<trigger_verdict>>> run_triggers(postgres::pool& db, std::vector<trigger_row> rows,
                                                                   deadline until);

/// Which of these runs exist.
task<std::unordered_map<uuid, triggered_run, uuid_hash>> find_triggered(postgres::pool& db, std::vector<uuid> runs,
                                                                        deadline until);

}  // namespace svc::store
