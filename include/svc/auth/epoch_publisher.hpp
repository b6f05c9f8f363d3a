#pragma once

#include "svc/auth/authenticator.hpp"
#include "svc/auth/change_publisher.hpp"
#include "svc/core/metrics.hpp"

#include <functional>

namespace svc::auth {

/// Raises epochs in Redis. Without an authenticator (the command line) there is no memory to drop from.
class epoch_publisher final : public change_publisher {
 public:
  /// `redis_is_lost`: nobody waits for Redis then; the relay delivers when it is back.
  epoch_publisher(
      redis::client& redis, authenticator* own, counter failures = {},
      std::function<bool()> redis_is_lost = [] { return false; })
      : redis_(redis), own_(own), failures_(failures), redis_is_lost_(std::move(redis_is_lost)) {}

  /// From behind COMMIT until Redis holds all that a change touched.
  void measure(histogram propagation) { propagation_ = propagation; }

  task<> publish(std::vector<subject_epoch> touched, deadline until) override;
  task<> announce(std::vector<sha256_digest> created, deadline until) override;

 private:
  task<bool> raise(subject_epoch one, deadline until);

  redis::client& redis_;
  authenticator* own_;
  counter failures_;
  histogram propagation_;
  std::function<bool()> redis_is_lost_;
};

}  // namespace svc::auth
