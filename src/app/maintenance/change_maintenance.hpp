#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/access/fallback.hpp"
#include "svc/access/relay.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/store/tokens/outbox_store.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace svc::app {

/// Makes changes of tokens take effect: decides for one worker if Redis can be trusted, relays the changes
/// that a request could not publish to Redis, and deletes delivered ones later. Worker-local; its
/// dependencies outlive it.
class change_maintenance {
 public:
  struct parts {
    redis::client& redis;
    access::fallback& fallback;
    access::authenticator& authenticator;
    store::outbox_store& outbox;
    /// Drops older records from every worker of this instance.
    std::function<void(std::vector<subject_epoch> const&)> invalidate;
    std::atomic<steady::rep>& relayed;  ///< the instance's: `shared_parts::relayed`
    loop_starter loops;                 ///< this worker's
    int index;                          ///< likewise
  };
  explicit change_maintenance(parts parts);

  /// Call before the thread runs. Redis is not trusted until `mend` has succeeded once.
  void start();

  /// Thread-safe. True while the breaker is closed: decisions are made in Redis.
  bool redis_trusted() const { return trusted_; }
  /// Thread-safe. True once it has been checked whether Redis can be trusted.
  bool redis_evaluated() const { return evaluated_; }
  /// Thread-safe. `fallback::refusal` as of the last probe.
  std::string redis_refusal() const;
  /// Thread-safe. The reason why the last attempt to reach Redis failed; empty if no attempt has failed.
  std::string redis_fault() const;

 private:
  task<> mend();
  task<> look_at_policy();
  void show_redis();
  task<> relay_changes();
  task<> sweep();

  parts parts_;
  access::relay relay_;
  access::redis_recovery recovery_;
  background_loop_ptr sweeping_{};
  std::string evicting_{};  ///< the policy that the log has warned of; empty if none evicts
  std::atomic<bool> trusted_{false}, evaluated_{false};
  mutable std::mutex shown_mutex_;
  std::string shown_refusal_{}, shown_fault_{};  ///< under the mutex
};

}  // namespace svc::app
