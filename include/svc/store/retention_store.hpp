#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Deletes ended runs with their output; never those that wait or run. An idempotency key outlives its run. Any
/// number of instances do it. Worker-local; the pool outlives it. Every method throws `unavailable`.
class retention_store {
 public:
  explicit retention_store(postgres::pool& db) : db_(db) {}

  /// Up to `most` of those that ended longer ago than `age`, the oldest first. How many it were.
  task<std::int64_t> delete_older(milliseconds age, std::int64_t most, deadline until);

  /// Behind its newest runs, a job has others: this one and older ones.
  struct excess {
    uuid job;
    timestamp created_at;
    uuid run;
  };
  struct surplus {
    std::vector<excess> jobs{};
    std::optional<uuid> behind{};  ///< go on there; nothing: all jobs were looked at
  };
  /// Among the next `jobs` jobs behind this id, those with more than `kept` runs.
  task<surplus> find_surplus(std::optional<uuid> behind, std::int64_t kept, std::int64_t jobs, deadline until);
  /// Up to `most` runs of an excess, the oldest first. How many it were.
  task<std::int64_t> delete_excess(excess of, std::int64_t most, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
