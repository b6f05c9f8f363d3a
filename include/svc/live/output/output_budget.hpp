#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/live/output/output_ledger.hpp"
#include "svc/redis/client.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::output {

/// The state of live output, as one worker sees it.
enum class output_health : std::uint8_t {
  whole,  ///< every line that fits the run's limits is kept
  cut,    ///< lines were dropped in the last 3 s, or Redis is short of memory
  lost,   ///< the Redis of live output is unreachable
};

std::string_view name_of(output_health health);

/// The state of live output as operators see it. A value.
struct output_state {
  output_health health = output_health::whole;
  std::int64_t held = 0;    ///< bytes in Redis, from the ledger that all instances share
  std::int64_t budget = 0;  ///< bytes that Redis may hold
};

/// Decides how much live output each project may write. All workers of all instances share one ledger in Redis, which
/// each of them updates and reads up to ten times a second. They can exceed the budget by the output that they write
/// in between. No output is written while less than half of the memory that the budget leaves to other data in Redis
/// is free. Worker-local; the client outlives it.
class output_budget {
 public:
  output_budget(redis::client& redis, memory_share share, metrics& counters);

  bool room(uuid project, std::int64_t more) const { return !short_ && ledger_.room(project, more); }
  /// Returns true if output that was moved to PostgreSQL is deleted from Redis at once, not after a delay.
  bool crowded() const { return short_ || ledger_.crowded(); }
  void printed(uuid run, uuid project, std::int64_t added, std::int64_t held) {
    ledger_.printed(run, project, added, held);
  }
  void leaves(uuid run, uuid project, std::chrono::seconds life) { ledger_.leaves(run, project, life); }
  /// Reports a dropped batch of lines. `refused` is true if Redis was full or unreachable, false if the
  /// budget was used up.
  void cut(bool refused);

  /// Updates and reads the ledger, and reads Redis's memory use twice a second. Call it every 100 ms. With
  /// `look` it also asks which runs are due for a check.
  task<> keep(bool look);

  struct entry {
    uuid run, project;
  };
  /// Returns the runs that are due for a check. The caller must report the result for each of them with
  /// `leaves`.
  std::vector<entry> take_due() { return std::exchange(due_, {}); }

  output_health health() const;
  /// Returns true if Redis has been unreachable for more than 5 s, so that no run should wait for it any
  /// longer.
  bool given_up() const;
  std::int64_t held() const { return ledger_.all(); }
  std::int64_t budget() const { return ledger_.budget(); }

  static redis::script const& script();

 private:
  task<> read_memory();
  task<> report(bool look);

  redis::client& redis_;
  memory_share share_;
  output_ledger ledger_{};
  std::vector<entry> due_{};
  bool short_ = false;
  steady::time_point memory_read_{}, reported_{};
  std::optional<steady::time_point> away_since_{};
  steady::time_point last_cut_ = steady::time_point::min();
  counter cut_{}, refused_{};
};

}  // namespace svc::output
