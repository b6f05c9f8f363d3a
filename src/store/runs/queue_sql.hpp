#pragma once

#include "svc/core/async.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/queue_gate.hpp"

#include <optional>
#include <vector>

namespace svc::store {

/// How many runs of each of these projects are queued, in order, none counted beyond `most`.
postgres::query queue_count_query(std::vector<queue_gate::counting> const& of, std::int64_t most);
/// Tells the gate what the query found.
void learn_counts(queue_gate& gate, std::vector<queue_gate::counting> const& of, postgres::rows const& found);
/// A place for one more run of the project; nothing: its queue is full. Counts within `work` where it must.
task<std::optional<queue_gate::place>> find_place(postgres::unit_of_work& work, queue_gate gate, uuid project);

}  // namespace svc::store
