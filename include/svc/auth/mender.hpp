#pragma once

#include "svc/auth/authenticator.hpp"
#include "svc/auth/relay.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/redis/client.hpp"

namespace svc::auth {

/// The way back from a lost Redis: it must be a primary that takes writes, hold every change committed meanwhile,
/// and what was believed before must be forgotten. Worker-local.
class mender {
 public:
  mender(redis::client& redis, relay& changes, authenticator& who) : redis_(redis), changes_(changes), who_(who) {}

  /// One try; true when decisions may be taken in Redis again.
  task<bool> mend(deadline until);

 private:
  redis::client& redis_;
  relay& changes_;
  authenticator& who_;
};

}  // namespace svc::auth
