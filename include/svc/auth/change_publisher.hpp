#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/principal.hpp"

#include <vector>

namespace svc::auth {

/// Makes changes known to all instances before anybody is told of them. Worker-local.
class change_publisher {
 public:
  virtual ~change_publisher() = default;

  /// Raises every subject's epoch in Redis to the committed one. Call it behind COMMIT and before any answer
  /// that tells of the change: also a 404 for a tombstone and an update that changed nothing. Ends at the
  /// deadline at the latest; what did not reach Redis is delivered from the outbox.
  virtual task<> publish(std::vector<subject_epoch> touched, deadline until) = 0;

  /// Replaces a negative entry for a digest that now exists, so that its first use asks PostgreSQL.
  virtual task<> announce(std::vector<sha256_digest> created, deadline until) = 0;
};

}  // namespace svc::auth
