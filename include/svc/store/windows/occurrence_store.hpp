#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Keeps the occurrences of maintenance windows written ahead, and frees what finished windows hold. Every instance
/// may do this; the lock of a project prevents doing it twice. Worker-local; the pool outlives it. Every method
/// throws `unavailable` when the database is gone or late.
class occurrence_store {
 public:
  /// The most projects in one round.
  static constexpr std::int64_t most_projects = 20;

  explicit occurrence_store(postgres::pool& db) : db_(db) {}

  /// Call before the first round. The listener gets the projects whose windows finished, without ids, after each
  /// COMMIT.
  void when_finished(change_listener finished) { finished_ = std::move(finished); }

  /// Returns projects with windows whose next occurrences are due, or whose slots can be freed; the longest due
  /// first.
  task<std::vector<uuid>> due_projects(deadline until);
  /// Plans all recurring windows of the project that are due, and retires finished windows. Plans again what has not
  /// started, so that new rules of time zones take effect; and adds missed occurrences that still last. Returns the
  /// number of planned windows. A project that another transaction holds is left for the next round.
  task<std::int64_t> extend(uuid project, deadline until);

 private:
  postgres::pool& db_;
  change_listener finished_{};
};

}  // namespace svc::store
