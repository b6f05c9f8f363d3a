#pragma once

#include "svc/redis/address.hpp"
#include "svc/redis/reply.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

// Reads the replies of a Redis Cluster about itself, without sockets (https://redis.io/docs/reference/cluster-spec).

inline constexpr std::size_t slot_count = 16384;

/// Returns the slot of a key or sharded channel: CRC16 (XMODEM) of its hash tag, or of the whole text if it has no
/// tag.
std::uint16_t slot_of(std::string_view key);

/// Maps each slot to its master. Immutable once read.
struct slot_map {
  static constexpr std::uint16_t nobody = 0xffff;

  std::vector<address> masters{};       ///< each once, in the order of their first slots
  std::vector<std::uint16_t> owners{};  ///< for each slot the master's index in `masters`, or `nobody`; or empty

  friend bool operator==(slot_map const&, slot_map const&) = default;
  bool names(address const& master) const;
  /// True if each slot has a master.
  bool complete() const;
};

/// Reads the answer to CLUSTER SLOTS of the node at `address`, which may leave out its own host. Returns
/// `std::nullopt` for any other reply, or if two ranges overlap. Total.
std::optional<slot_map> read_slots(reply const& answer, address const& address);

/// Returns the masters that were no masters `before`, and now own a slot whose former master has gone. A replica has
/// then taken over, whereas a slot that merely moves between masters does not count. Each master appears once, in the
/// order of its first such slot.
std::vector<address> taken_over(slot_map const& before, slot_map const& now);

/// Returns for each master a hash tag, such as `{7}`, of one of its slots.
std::vector<std::string> tags_of(slot_map const& map);

/// The part of CLUSTER INFO that says whether the node's view counts.
struct cluster_state {
  bool ok = false;          ///< it sees a majority of the masters, and serves commands
  std::uint64_t epoch = 0;  ///< grows with each failover: a view with a lower epoch is older
};

/// Reads the answer to CLUSTER INFO. Returns `std::nullopt` if a field is missing or is no number. Total.
std::optional<cluster_state> read_cluster_state(std::string_view info);

/// An error reply that names another node, which proves that the command did not run.
struct redirect {
  bool asking = false;  ///< ASK: only this command, after ASKING; otherwise MOVED: the slot's new master
  address address{};
};

/// Reads `MOVED SLOT HOST:PORT` or `ASK SLOT HOST:PORT` from the node at `address`. An empty host means the
/// host of that node. Returns `std::nullopt` for any other text. Total.
std::optional<redirect> read_redirect(std::string_view error, address const& address);

}  // namespace svc::redis
