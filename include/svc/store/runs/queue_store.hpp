#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/pool.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::store {

/// The oldest runs that wait or run, and the runners seen in the last minute, of all organisations.
struct queue_summary {
  std::int64_t queued = 0;   ///< any runner with their label may take them
  std::int64_t limited = 0;  ///< queued, of jobs with `maxConcurrentRuns`: they may have to wait for each other
  std::int64_t running = 0;
  std::chrono::milliseconds oldest{0};  ///< waiting time of the oldest of `queued`; 0 if there is none
  std::int64_t runners = 0, slots = 0;
};

/// A run that the operator has ended. A value.
struct operator_ended_run {
  uuid run;
  uuid project;
  std::optional<uuid> job{};  ///< empty: the run of a single test
  std::int64_t attempt = 0;   ///< 0: it never began
};

/// The queue as an operator sees it. Worker-local; the pool outlives it.
class queue_store {
 public:
  explicit queue_store(postgres::pool& db) : db_(db) {}

  /// Returns the number of waiting or running runs that were queued before this time.
  task<std::int64_t> count(timestamp before, deadline until);
  /// Ends up to `most` runs that were queued before this time as `error` with this reason. Each gets an audit row of
  /// the operator. From then on the service refuses reports of their runners. Waits for runs that are being claimed
  /// or ended. Returns those ended. Throws `unavailable`.
  task<std::vector<operator_ended_run>> end(timestamp before, std::string reason, std::int64_t most, deadline until);

  /// Summarises only the `most` oldest runs that have not ended, so that a long queue costs no more. Throws
  /// `unavailable`.
  task<queue_summary> look(std::int64_t most, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
