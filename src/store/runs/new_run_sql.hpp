#pragma once

#include "svc/core/async.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/queue_gate.hpp"

#include <optional>
#include <vector>

// What a run of job `j` would be made of; sub-selects for whoever makes runs of jobs.

/// `tests`: those of the job in their order, none of them run yet.
#define SVC_PLANNED_TESTS                                                                          \
  "SELECT coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'title', t.title, 'status', 'queued')" \
  " ORDER BY jt.position), '[]') AS tests"                                                         \
  " FROM job_tests jt JOIN tests t ON t.id = jt.test_id WHERE jt.job_id = j.id"

/// `defaults`: parameters that have one, and `missing`: names that are required and neither have one nor are a member
/// of the JSON object `given`. Goes on with `FROM jsonb_array_elements(j.parameters) declared (p)`.
#define SVC_PLANNED_PARAMETERS(given)                                                     \
  "SELECT coalesce(jsonb_object_agg(p ->> 'name', p -> 'default')"                        \
  " FILTER (WHERE jsonb_typeof(p -> 'default') = 'string'), '{}') AS defaults,"           \
  " coalesce(array_agg(p ->> 'name' ORDER BY p ->> 'name')"                               \
  " FILTER (WHERE (p ->> 'required')::boolean AND p ->> 'default' IS NULL AND NOT " given \
  " ? (p ->> 'name')), '{}') AS missing"

namespace svc::store {

/// How many runs of each of these projects are queued, in order, none counted beyond `most`.
postgres::query queue_count_query(std::vector<queue_gate::counting> const& of, std::int64_t most);
/// Tells the gate what the query found.
void learn_counts(queue_gate& gate, std::vector<queue_gate::counting> const& of, postgres::rows const& found);
/// A place for one more run of the project; nothing: its queue is full. Counts within `work` where it must.
task<std::optional<queue_gate::place>> find_place(postgres::unit_of_work& work, queue_gate gate, uuid project);

}  // namespace svc::store
