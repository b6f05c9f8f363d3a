#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/core/async.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/principal.hpp"

#include <algorithm>
#include <vector>

namespace svc::store {
class outbox_store;
}

namespace svc::access {

/// Makes changes known to all instances before any client sees them. The object belongs to one worker.
class change_publisher {
 public:
  virtual ~change_publisher() = default;

  /// Bumps every subject's epoch in Redis to the committed one. Call it after COMMIT and before any answer
  /// that reveals the change, also before a 404 for a tombstone and for an update that changed nothing. It
  /// may run past the request's deadline. While Redis does not confirm, the answer waits, because the old
  /// state must admit no request once the answer has left. Returns false if Redis does not have the epochs
  /// yet; the relay then delivers them from the outbox.
  virtual task<bool> publish(std::vector<subject_epoch> touched) = 0;

  /// Replaces a negative entry for a digest that now exists, so that its first use asks PostgreSQL.
  virtual task<> announce(std::vector<sha256_digest> created) = 0;
};

/// Returns how long a worker trusts Redis without receiving a reply: the `longest_gap` of its connection.
constexpr milliseconds longest_belief(redis::settings const& settings) {
  return std::min(settings.silence_limit, milliseconds(2000));
}

/// Returns how long an answer about a change waits at most, counted from COMMIT, while Redis does not confirm
/// the bump. By then no worker trusts the earlier state of Redis, whether Redis stalled, was cut off or
/// restarted: `redis_recovery` first delivers all changes to Redis. The time is also longer than two passes
/// of another instance's relay.
constexpr milliseconds longest_hold(redis::settings const& settings) {
  return std::max(milliseconds(1500), 2 * longest_belief(settings));
}

/// Bumps epochs in Redis. `own` is null on the command line, which has no worker memory to drop records from.
class epoch_publisher final : public change_publisher {
 public:
  epoch_publisher(redis::client& redis, store::outbox_store& outbox, milliseconds longest_hold,
                  authenticator* own = nullptr, counter failures = {})
      : redis_(redis), outbox_(outbox), longest_hold_(longest_hold), own_(own), failures_(failures) {}

  /// `propagation` receives the time from COMMIT until Redis holds every epoch of the change.
  void measure(histogram propagation) { propagation_ = propagation; }

  task<bool> publish(std::vector<subject_epoch> touched) override;
  task<> announce(std::vector<sha256_digest> created) override;

 private:
  task<bool> publish(std::vector<subject_epoch> left, deadline until);
  task<bool> bump(std::vector<subject_epoch>& left, deadline until);
  task<bool> known_to_others(std::vector<subject_epoch> const& left, deadline until);

  redis::client& redis_;
  store::outbox_store& outbox_;
  milliseconds longest_hold_;
  authenticator* own_;
  counter failures_;
  histogram propagation_;
};

}  // namespace svc::access
