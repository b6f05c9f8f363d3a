#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/instance.hpp"
#include "svc/postgres/pool.hpp"

#include <vector>

namespace svc::store {

/// A running instance. Its times come from the database's clock.
struct present_instance {
  instance_identity identity;
  timestamp started_at;
  timestamp seen_at;
};

/// The running instances, as PostgreSQL knows them by its own clock. Worker-local; the pool outlives it. Every method
/// throws `unavailable`.
class instance_store {
 public:
  explicit instance_store(postgres::pool& db) : db_(db) {}

  /// Commits the presence of this instance and then reads all instances. So of any two instances the later one sees
  /// the other. Also deletes rows that are older than a minute. `up` is the time since this instance's start.
  task<std::vector<present_instance>> renew(instance_identity identity, milliseconds up, deadline until);
  /// Returns the instances seen within `instance_age`, in the order of their starts.
  task<std::vector<present_instance>> read(deadline until);
  task<> leave(uuid id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
