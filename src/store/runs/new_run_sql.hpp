#pragma once

#include "svc/core/async.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/queue_gate.hpp"
#include "svc/store/trigger_batcher.hpp"

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

// What the statements that create runs share: the content of a run of job `j`, as sub-selects, and the run's place in
// the project's queue.

/// `tests`: the job's tests in order, each with the status `queued`.
#define SVC_PLANNED_TESTS                                                                          \
  "SELECT coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'title', t.title, 'status', 'queued')" \
  " ORDER BY jt.position), '[]') AS tests"                                                         \
  " FROM job_tests jt JOIN tests t ON t.id = jt.test_id WHERE jt.job_id = j.id"

/// `defaults`: the parameters that have a default, as an object; `missing`: the names of required parameters that
/// have no default and are not members of the JSON object `given`. Must be followed by `FROM
/// jsonb_array_elements(j.parameters) declared (p)`.
#define SVC_PLANNED_PARAMETERS(given)                                                     \
  "SELECT coalesce(jsonb_object_agg(p ->> 'name', p -> 'default')"                        \
  " FILTER (WHERE jsonb_typeof(p -> 'default') = 'string'), '{}') AS defaults,"           \
  " coalesce(array_agg(p ->> 'name' ORDER BY p ->> 'name')"                               \
  " FILTER (WHERE (p ->> 'required')::boolean AND p ->> 'default' IS NULL AND NOT " given \
  " ? (p ->> 'name')), '{}') AS missing"

namespace svc::store {

/// How many runs of each of these projects are queued, in order. Counts no further than `most`.
postgres::query queue_count_query(std::vector<queue_gate::counting> const& of, std::int64_t most);
/// Passes the result of `queue_count_query` to the gate.
void learn_counts(queue_gate& gate, std::vector<queue_gate::counting> const& of, postgres::rows const& found);
/// A place for one more run of the project; empty: its queue is full. Counts the queue within `work` if necessary.
task<std::optional<queue_gate::place>> find_place(postgres::unit_of_work& work, queue_gate gate, uuid project);

/// One trigger as it is sent to the database.
struct trigger_row {
  uuid run;    ///< the new run's id
  uuid audit;  ///< its audit row's id
  editor by;
  trigger_request wanted;
  bool room = true;  ///< the queue has room; else queue_full, unless an earlier run answers the trigger
};

using trigger_verdict = result<triggered_run>;

/// Executes all rows in one transaction and one round trip; returns a verdict for each, in order. No two rows may
/// share a key. idempotency_in_progress: another transaction holds the row's key. unavailable: a change holds the
/// row's job. In both cases no run was created, and the caller may try again.
task<postgres::outcome<std::vector<trigger_verdict>>> run_triggers(postgres::pool& db, std::vector<trigger_row> rows,
                                                                   deadline until);

/// The runs among these that exist.
task<std::unordered_map<uuid, triggered_run, uuid_hash>> find_triggered(postgres::pool& db, std::vector<uuid> runs,
                                                                        deadline until);

}  // namespace svc::store
