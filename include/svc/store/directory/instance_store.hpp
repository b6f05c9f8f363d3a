#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/instance.hpp"
#include "svc/postgres/pool.hpp"

#include <vector>

namespace svc::store {

/// An instance that is there; times by the database's clock.
struct present_instance {
  instance_identity identity;
  timestamp started_at;
  timestamp seen_at;
};

/// Who is there, by PostgreSQL and its clock. Worker-local; the pool outlives it. Every method throws `unavailable`.
class instance_store {
 public:
  explicit instance_store(postgres::pool& db) : db_(db) {}

  /// Says that this instance is there, commits, and then reads who is, so that of any two the later one sees the
  /// other. Also deletes rows of those that have been gone for a minute. `up`: since its start.
  task<std::vector<present_instance>> beat(instance_identity identity, milliseconds up, deadline until);
  /// Those seen within `instance_age`, in the order of their starts.
  task<std::vector<present_instance>> read(deadline until);
  task<> leave(uuid id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
