#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/access/fallback.hpp"
#include "svc/access/relay.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/store/outbox_store.hpp"

#include <atomic>
#include <functional>
#include <vector>

namespace svc::app {

/// What keeps changes of tokens true beside requests: one worker's trust in Redis, the relay that brings to Redis
/// what a change's own request could not, and the sweep of what was brought long ago. Worker-local; what it uses
/// outlives it.
class change_upkeep {
 public:
  struct parts {
    redis::client& redis;
    access::fallback& fallback;
    access::authenticator& who;
    store::outbox_store& outbox;
    /// Drops older records from every worker of this instance.
    std::function<void(std::vector<subject_epoch> const&)> forget;
    std::atomic<steady::rep>& relayed;  ///< the instance's: `shared_parts::relayed`
    loop_starter loops;                 ///< this worker's
    int index;                          ///< likewise
  };
  explicit change_upkeep(parts of);

  /// Before the thread runs. Redis is not trusted until the way to it was walked once.
  void start();

  /// Any thread. The breaker is closed: decisions are taken in Redis.
  bool redis_trusted() const { return trusted_; }
  /// Any thread. Whether Redis can be trusted was looked at once.
  bool redis_judged() const { return judged_; }

 private:
  task<> mend();
  task<> relay_changes();
  task<> sweep();

  parts of_;
  access::relay relay_;
  access::redis_recovery recovery_;
  background_loop_ptr sweeping_{};
  std::atomic<bool> trusted_{false}, judged_{false};
};

}  // namespace svc::app
