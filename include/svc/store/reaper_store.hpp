#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A run that was taken from its runner.
struct reaped_run {
  uuid run;
  std::int64_t attempt = 0;  ///< the one that was lost
  std::string status{};      ///< queued: it waits for another claim; otherwise it is over
  uuid organization{};
  uuid project{};
  std::string job_type{};
  bool limited = false;  ///< another run of its job may be claimed in its place

  bool queued() const { return status == "queued"; }
};

/// Ends or requeues runs whose runner does not come back. Any number of instances do it; each run is taken once,
/// and its claim id is gone with that, so whatever the runner still says of it is refused. Worker-local; the pool
/// outlives it.
class reaper_store {
 public:
  explicit reaper_store(postgres::pool& db) : db_(db) {}

  /// Up to `most` running runs whose lease is over, or which run for a minute longer than they may. In this order:
  /// `cancelled` if that was asked for, `timed_out`, `queued` if its claim was lost at most `retries` - 1 times
  /// before, `error`. Those that end are due to the mover. Throws `unavailable`.
  task<std::vector<reaped_run>> reap(std::int64_t most, std::int64_t retries, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
