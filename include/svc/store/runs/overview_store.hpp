#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/quota.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A job with the statistics of its newest 100 runs that have ended and were not cancelled, by the time of their
/// trigger.
struct overview_job {
  uuid id{};
  std::string name{};
  std::string status{};  ///< of the last run; `pending` if there is none
  std::optional<timestamp> next_run_at{};
  std::int64_t runs = 0;
  std::int64_t passed = 0;
  std::optional<std::int64_t> median_ms{};   ///< of the runs that passed
  std::vector<std::string> last_statuses{};  ///< of the newest ten, the newest first
};

struct overview_hour {
  timestamp start{};
  std::int64_t passed = 0;
  std::int64_t not_passed = 0;
};

/// The ended runs that were triggered in the last 24 hours.
struct overview_runs {
  std::int64_t passed = 0, failed = 0, error = 0, timed_out = 0, cancelled = 0;
  bool at_least = false;               ///< true if there are more runs of some status and trigger than are counted
  std::vector<overview_hour> hours{};  ///< 24, the oldest first; empty if `at_least`
};

struct overview_queue {
  std::int64_t queued = 0;  ///< counted up to the quota, or up to 10 000 if that is more
  std::int64_t running = 0;
  std::optional<timestamp> oldest_queued_at{};
};

/// The monitors of a project, by status.
struct overview_monitors {
  std::int64_t up = 0, degraded = 0, down = 0, error = 0, pending = 0, paused = 0;
};

/// The state of a project at `as_of`. A value.
struct overview {
  std::vector<overview_job> jobs{};  ///< at most 100: those whose last run failed first, then by name
  overview_runs last_day{};
  overview_queue queue{};
  overview_monitors monitors{};
  std::int64_t open_outages = 0;
  timestamp as_of{};  ///< the database's clock
};

/// Runs of one status and trigger in one of the 24 hours, which are numbered from 1.
struct counted_runs_of_hour {
  std::string status{}, trigger{};
  std::int64_t hour = 0, runs = 0;
};

/// Sums the counts of the 24 hours before `as_of`. Each status and trigger was counted up to `most` runs.
overview_runs sum_of_runs(std::vector<counted_runs_of_hour> const& counts, timestamp as_of, std::int64_t most);

/// Reads the state of projects. Worker-local; the pool outlives it.
class overview_store {
 public:
  explicit overview_store(postgres::pool& db, quota_table quotas = {}) : db_(db), quotas_(quotas) {}

  /// Throws `unavailable` when the database is gone or late.
  task<overview> read(uuid project, deadline until);

 private:
  postgres::pool& db_;
  quota_table quotas_;
};

}  // namespace svc::store
