#pragma once

#include "store/runs/job_plan.hpp"
#include "svc/core/async.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runs/trigger_batcher.hpp"

#include <optional>
#include <vector>

namespace svc::store {

/// One trigger as it is sent to the database. A value.
struct trigger_row {
  uuid run;    ///< the new run's id ends like this one; the database's clock gives the rest
  uuid audit;  ///< the same for its audit row
  editor editor;
  trigger_request wanted;
  bool room = true;    ///< the queue has room; else queue_full, unless an earlier run answers the trigger
  shared_plan plan{};  ///< never null once it is sent
  result<std::string> parameters = errc::internal_error;  ///< by the plan: the run's parameters, or the refusal

  bool keyed() const { return !wanted.idempotency_key.empty() || !wanted.dedup_key.empty(); }
};

using trigger_verdict = result<triggered_run>;
/// Nothing: its plan is stale; no run was created.
using trigger_answer = std::optional<trigger_verdict>;

/// Executes all rows in one transaction and one round trip; returns an answer for each, in order. No two rows may
/// share a key. idempotency_in_progress: another transaction holds the row's key. unavailable: a change holds the
/// row's job. In both cases no run was created, and the caller may try again.
task<postgres::outcome<std::vector<trigger_answer>>> run_triggers(postgres::pool& db, std::vector<trigger_row> rows,
                                                                  deadline until);

/// The runs that these rows created within the last seconds, in order; nothing for a row that created none.
task<std::vector<std::optional<triggered_run>>> find_triggered(postgres::pool& db, std::vector<trigger_row> rows,
                                                               deadline until);

}  // namespace svc::store
