#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

inline constexpr std::int64_t shard_count = 64;

/// The shards of a scheduler after a renewal.
struct held_shards {
  timestamp now{};       ///< time of the database
  std::int64_t aim = 0;  ///< the number of shards that it should have, from the number of schedulers
  std::vector<std::int64_t> kept{}, taken{};
};

/// The time at which a checker of this location was last seen.
struct seen_location {
  std::optional<timestamp> time{};
  bool online = false;  ///< true if `time` is recent enough
};

/// Assigns the shards of the monitors to schedulers. Leases last 10 s, so that another scheduler takes over abandoned
/// shards. Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late.
class shard_store {
 public:
  explicit shard_store(postgres::pool& db, uuid location = own_location) : db_(db), location_(location) {}

  /// Renews all shards of this scheduler, and takes free shards up to its aim. Sets `sent` to the time when the
  /// statement was sent.
  task<held_shards> renew(uuid holder, deadline until, steady::time_point& sent);
  /// Releases these shards. Other schedulers may take them at once.
  task<> release(uuid holder, std::vector<std::int64_t> shards, deadline until);
  struct overview {
    std::int64_t unheld = 0;   ///< shards whose lease has ended
    std::int64_t holders = 0;  ///< schedulers that were seen recently
  };
  /// Returns the state of the shards and the number of schedulers.
  task<overview> look(deadline until);
  /// Releases all shards and removes this scheduler.
  task<> leave(uuid holder, deadline until);
  task<seen_location> seen(deadline until);

 private:
  postgres::pool& db_;
  uuid location_;
};

}  // namespace svc::store
