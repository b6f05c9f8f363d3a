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

/// Makes changes known to all instances before anybody is told of them. Worker-local.
class change_publisher {
 public:
  virtual ~change_publisher() = default;

  /// Raises every subject's epoch in Redis to the committed one. Call it after COMMIT and before any answer
  /// that tells of the change: also a 404 for a tombstone and an update that changed nothing. It takes the time it
  /// needs, whatever is left of the request's: a Redis that does not confirm delays the answer, not the promise that
  /// nothing is let in after it by what was so before. False: Redis does not know yet, and is told from the outbox.
  virtual task<bool> publish(std::vector<subject_epoch> touched) = 0;

  /// Replaces a negative entry for a digest that now exists, so that its first use asks PostgreSQL.
  virtual task<> announce(std::vector<sha256_digest> created) = 0;
};

/// For how long a worker goes on believing a Redis that it has not heard of: the `longest_gap` of its connection.
constexpr milliseconds longest_belief(redis::settings const& of) {
  return std::min(of.silence_limit, milliseconds(2000));
}

/// How long an answer about a change waits at most, from COMMIT on, for a Redis that does not confirm its raise. By
/// then no worker believes what Redis knew before, whether it stood still, was cut off or began again: each must be
/// told of all changes first (`redis_recovery`). Longer than two passes of another instance's relay, too.
constexpr milliseconds longest_hold(redis::settings const& of) {
  return std::max(milliseconds(1500), 2 * longest_belief(of));
}

/// Raises epochs in Redis. Without an authenticator (the command line) there is no memory to drop from.
class epoch_publisher final : public change_publisher {
 public:
  epoch_publisher(redis::client& redis, store::outbox_store& outbox, milliseconds longest_hold,
                  authenticator* own = nullptr, counter failures = {})
      : redis_(redis), outbox_(outbox), longest_hold_(longest_hold), own_(own), failures_(failures) {}

  /// From after COMMIT until Redis holds all that a change touched.
  void measure(histogram propagation) { propagation_ = propagation; }

  task<bool> publish(std::vector<subject_epoch> touched) override;
  task<> announce(std::vector<sha256_digest> created) override;

 private:
  task<bool> tell(std::vector<subject_epoch> left, deadline until);
  task<bool> raise(std::vector<subject_epoch>& left, deadline until);
  task<bool> told_by_others(std::vector<subject_epoch> const& left, deadline until);

  redis::client& redis_;
  store::outbox_store& outbox_;
  milliseconds longest_hold_;
  authenticator* own_;
  counter failures_;
  histogram propagation_;
};

}  // namespace svc::access
