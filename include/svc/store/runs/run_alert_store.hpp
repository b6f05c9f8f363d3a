#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"

#include <cstdint>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Turns runs that have ended into alerts of their jobs. Worker-local; the pool outlives it. Throws
/// `unavailable` when the database is gone or late.
class run_alert_store {
 public:
  explicit run_alert_store(postgres::pool& db) : db_(db) {}

  struct taken_alerts {
    std::int64_t runs = 0;
    bool more = false;                     ///< more runs may wait
    std::vector<changed_thing> changes{};  ///< the projects that have new alerts
  };
  /// Takes ended runs of up to `jobs` jobs that no other instance holds, at most `runs_of_job` of each, and
  /// writes their alerts in the same transaction. Jobs take turns, so that a job with many runs does not
  /// delay others.
  task<taken_alerts> evaluate(std::int64_t jobs, std::int64_t runs_of_job, deadline until);

 private:
  task<taken_alerts> take(std::vector<uuid> due, std::int64_t runs_of_job, deadline until);

  postgres::pool& db_;
  uuid after_{};        ///< the job whose turn was last
  bool again_ = false;  ///< a job had more runs than its turn took, so another round follows this one
};

}  // namespace svc::store
