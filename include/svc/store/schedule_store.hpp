#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/queue_gate.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// What became of one due time of a job.
struct fired_schedule {
  uuid job;
  uuid run{};  ///< queued now; meaningless when skipped
  /// job_has_no_tests, parameters_missing, max_concurrent_runs, queue_full, project_archived; empty: run
  std::string skipped{};
  uuid organization{};
  uuid project{};
  std::string job_type{};
  milliseconds late{0};  ///< behind the due time
  bool last = false;     ///< no later time is known
};

/// Schedules of jobs. Any number of instances fire them: `jobs.next_run_at` is taken under the row's lock and moved
/// on in the transaction that makes the run, so each due time fires once. Worker-local; the pool outlives it. Every
/// method throws `unavailable` when the database is gone or late.
class schedule_store {
 public:
  explicit schedule_store(postgres::pool& db, queue_gate gate = {}) : db_(db), gate_(std::move(gate)) {}

  /// Up to `most` jobs that are due by the database's clock and that nobody else has in hand, the longest due first.
  /// However many times have passed, a job fires once. Each has its audit row, but for archived projects.
  task<std::vector<fired_schedule>> fire(std::int64_t most, deadline until);

  struct mended {
    std::int64_t given = 0;        ///< jobs that have a next time again
    std::optional<uuid> behind{};  ///< go on there; nothing: all were looked at
  };
  /// Looks at up to `most` jobs behind this id which have a schedule and no next time.
  task<mended> mend(std::optional<uuid> behind, std::int64_t most, deadline until);

 private:
  postgres::pool& db_;
  queue_gate gate_;
};

}  // namespace svc::store
