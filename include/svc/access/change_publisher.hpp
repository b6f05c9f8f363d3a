#pragma once

#include "svc/core/async.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/principal.hpp"

#include <vector>

namespace svc::access {

/// Makes changes known to all instances before anybody is told of them. Worker-local.
class change_publisher {
 public:
  virtual ~change_publisher() = default;

  /// Raises every subject's epoch in Redis to the committed one. Call it behind COMMIT and before any answer
  /// that tells of the change: also a 404 for a tombstone and an update that changed nothing. It takes the time it
  /// needs, whatever is left of the request's: a Redis that does not confirm delays the answer, not the promise that
  /// nothing is let in behind it by what was so before. False: Redis does not know yet, and is told from the outbox.
  virtual task<bool> publish(std::vector<subject_epoch> touched) = 0;

  /// Replaces a negative entry for a digest that now exists, so that its first use asks PostgreSQL.
  virtual task<> announce(std::vector<sha256_digest> created) = 0;
};

}  // namespace svc::access
