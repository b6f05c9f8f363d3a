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

/// What a holder has, after it said that it is there.
struct held_shards {
  timestamp now{};       ///< the database's
  std::int64_t aim = 0;  ///< how many it should have, by how many holders there are
  std::vector<std::int64_t> kept{}, taken{};
};

/// When somebody who checks here was last there.
struct seen_location {
  std::optional<timestamp> time{};
  bool online = false;  ///< lately enough
};

/// Who checks which shard of the monitors: leases of 10 s, so that another holder takes over what one left behind.
/// Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late.
class shard_store {
 public:
  explicit shard_store(postgres::pool& db, uuid location = own_location) : db_(db), location_(location) {}

  /// Renews all that this holder has, and takes what is free up to its aim. Sets `sent` to when the statement was
  /// sent.
  task<held_shards> renew(uuid holder, deadline until, steady::time_point& sent);
  /// Gives these back; others may have them at once.
  task<> release(uuid holder, std::vector<std::int64_t> shards, deadline until);
  struct overview {
    std::int64_t unheld = 0;   ///< shards whose lease has ended
    std::int64_t holders = 0;  ///< that said so lately
  };
  /// Whether anybody checks.
  task<overview> look(deadline until);
  /// Gives all back, and is no holder any more.
  task<> leave(uuid holder, deadline until);
  task<seen_location> seen(deadline until);

 private:
  postgres::pool& db_;
  uuid location_;
};

}  // namespace svc::store
