#pragma once

#include "svc/core/async.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/quota.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/queue_gate.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace svc::store {

/// A kind of things that are counted in `project_usage`, and how a project that is full of them is told.
struct counted_kind {
  std::string_view name;
  errc too_many;
  errc too_large;
};
inline constexpr counted_kind counted_jobs{"jobs", errc::job_limit_reached, errc::job_limit_reached};
inline constexpr counted_kind counted_tests{"tests", errc::test_limit_reached, errc::script_bytes_exceeded};
inline constexpr counted_kind counted_variables{"variables", errc::variable_limit_reached,
                                                errc::variable_bytes_exceeded};

/// A change that makes a project hold more. Looked at before it is written, so that a full project costs nothing, and
/// asserted behind it in the same transaction, which nobody who comes at the same moment passes. A value.
struct growth {
  uuid project;
  counted_kind of;
  amount most;  ///< 0: any number
  amount more{};

  /// One row, or none while the project never held such a thing.
  postgres::query look() const;
  /// By the rows of `look`.
  result<> fits(postgres::rows const& looked) const;
  /// Stands behind the statement that writes.
  postgres::query assertion() const;
  /// Why a batch with the assertion was refused; throws for any other reason.
  error refusal(postgres::server_error const& why) const;
};

/// How many runs of each of these projects are queued, in order, none counted beyond `most`.
postgres::query queue_count_query(std::vector<queue_gate::counting> const& of, std::int64_t most);
/// Tells the gate what the query found.
void learn_counts(queue_gate& gate, std::vector<queue_gate::counting> const& of, postgres::rows const& found);
/// A place for one more run of the project; nothing: its queue is full. Counts within `work` where it must.
task<std::optional<queue_gate::place>> find_place(postgres::unit_of_work& work, queue_gate gate, uuid project);

}  // namespace svc::store
