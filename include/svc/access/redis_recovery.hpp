#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/access/relay.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/redis/client.hpp"

namespace svc::access {

/// The way back from a lost Redis: it must be a primary that takes writes, hold every change committed meanwhile,
/// and what was believed before must be forgotten. Worker-local.
class redis_recovery {
 public:
  redis_recovery(redis::client& redis, relay& changes, authenticator& who)
      : redis_(redis), changes_(changes), who_(who) {}

  /// One try; true when decisions may be taken in Redis again.
  task<bool> mend(deadline until);

 private:
  redis::client& redis_;
  relay& changes_;
  authenticator& who_;
};

}  // namespace svc::access
