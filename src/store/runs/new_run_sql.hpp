#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/core/async.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/runs/queue_gate.hpp"

#include <optional>
#include <vector>

// Shared parts of the statements that create runs: the tests of a run of job `j`, as a sub-select, and the run's
// reservation in the project's queue.

namespace svc::store {

/// `tests` has the job's tests in order, each with the status `queued`. `count` is their number. Each change of any
/// of the tests raises `version`.
inline constexpr auto planned_tests =
    sql("SELECT coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'title', t.title, 'status', 'queued')"
        " ORDER BY jt.position), '[]') AS tests, count(*) AS count,"
        " coalesce(sum(t.version), 0)::bigint AS version"
        " FROM job_tests jt JOIN tests t ON t.id = jt.test_id WHERE jt.job_id = j.id");

/// Returns the number of queued runs of each of these projects, in order. Counts no further than `most`.
postgres::query queue_count_query(std::vector<queue_gate::counting> const& counts, std::int64_t most);
/// Passes the result of `queue_count_query` to the gate.
void learn_counts(queue_gate& gate, std::vector<queue_gate::counting> const& counts, postgres::rows const& found);
/// Returns a reservation for one more run of the project; empty: its queue is full. Counts the queue within `work` if
/// necessary.
task<std::optional<queue_gate::reservation>> reserve_queue_slot(postgres::unit_of_work& work, queue_gate gate,
                                                                uuid project);

/// The seed of the hash that turns a name into the key of an advisory lock, if a tenant chose a part of the name.
/// Names that consist of a word and an id need none, because tenants choose no ids. Evaluated once for each
/// statement, when it is first needed.
inline constexpr auto lock_seed =
    sql("(SELECT CASE WHEN statement_timestamp() < since THEN 0 ELSE seed END FROM lock_seed)");

}  // namespace svc::store
