#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/output/output_ledger.hpp"
#include "svc/redis/client.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::output {

/// How live output fares, as a worker sees it.
enum class output_health : std::uint8_t {
  whole,  ///< all that is printed is kept
  cut,    ///< some was cut just now: its project, or all, have used up the room
  lost,   ///< its Redis is out of reach
};

std::string_view name_of(output_health one);

/// The same for operators. A value.
struct output_state {
  output_health health = output_health::whole;
  std::int64_t held = 0;    ///< bytes that Redis holds, by the books of all instances
  std::int64_t budget = 0;  ///< that it may
};

/// Who may write how much live output. All workers of all instances keep the same books in Redis, told and read ten
/// times a second, so that the room is exceeded by what they write in that time; half of what the room leaves of
/// Redis's memory stays free in any case. Worker-local; the client outlives it.
class output_budget {
 public:
  output_budget(redis::client& redis, memory_share share, metrics& counters);

  bool room(uuid project, std::int64_t more) const { return !short_ && ledger_.room(project, more); }
  /// What is moved goes at once, not after a while.
  bool crowded() const { return short_ || ledger_.crowded(); }
  void printed(uuid run, uuid project, std::int64_t added, std::int64_t held) {
    ledger_.printed(run, project, added, held);
  }
  void leaves(uuid run, uuid project, std::chrono::seconds life) { ledger_.leaves(run, project, life); }
  /// A batch of a run was dropped, because the room is used up, or because Redis was full all the same.
  void cut(bool refused);

  /// Tells and reads the books, and now and then Redis's memory. To be called each tenth of a second. `look`: also
  /// asks which runs are to be looked at.
  task<> keep(bool look);

  struct entry {
    uuid run, project;
  };
  /// Those; whoever takes them says of each what becomes of it.
  std::vector<entry> take_due() { return std::exchange(due_, {}); }

  output_health health() const;
  /// Its Redis has been away for so long that no run should wait for it any more.
  bool given_up() const;
  std::int64_t held() const { return ledger_.all(); }
  std::int64_t budget() const { return ledger_.budget(); }

  static redis::script const& script();

 private:
  task<> read_memory();
  task<> tell(bool look);

  redis::client& redis_;
  memory_share share_;
  output_ledger ledger_{};
  std::vector<entry> due_{};
  bool short_ = false;
  steady::time_point memory_read_{}, told_{};
  std::optional<steady::time_point> away_since_{};
  steady::time_point last_cut_ = steady::time_point::min();
  counter cut_{}, refused_{};
};

}  // namespace svc::output
