#pragma once

#include "svc/redis/address.hpp"
#include "svc/redis/reply.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

// What a Redis Cluster says of itself, without sockets (https://redis.io/docs/reference/cluster-spec).

inline constexpr std::size_t slot_count = 16384;

/// The slot of a key or sharded channel: CRC16 (XMODEM) of its hash tag, or of all of it where it has none.
std::uint16_t slot_of(std::string_view key);

/// Who serves which slot. Immutable once read.
struct slot_map {
  static constexpr std::uint16_t nobody = 0xffff;

  std::vector<address> masters{};       ///< each once, in the order of their first slots
  std::vector<std::uint16_t> owners{};  ///< for each slot the master's place in `masters`, or `nobody`; or empty

  friend bool operator==(slot_map const&, slot_map const&) = default;
  bool names(address const& master) const;
  /// Each slot has a master.
  bool complete() const;
};

/// Reads the answer to CLUSTER SLOTS, given by the node at `address`, which may leave out its own host. Nothing for
/// any other reply, or if two ranges overlap. Total.
std::optional<slot_map> read_slots(reply const& answer, address const& address);

/// The masters that were none `before`, and now own a slot whose former master has gone: a replica takes over, and no
/// slot merely moves between masters. Each once, in the order of its first such slot.
std::vector<address> taken_over(slot_map const& before, slot_map const& now);

/// For each master a hash tag, such as `{7}`, of one of its slots.
std::vector<std::string> tags_of(slot_map const& map);

/// The part of CLUSTER INFO that says whether the node's view counts.
struct cluster_state {
  bool ok = false;          ///< it sees a majority of the masters, and serves commands
  std::uint64_t epoch = 0;  ///< grows with each failover: a view with a lower one is older
};

/// Reads the answer to CLUSTER INFO. Nothing if a field is missing or is no number. Total.
std::optional<cluster_state> read_cluster_state(std::string_view info);

/// An error reply that names another node, which proves that the command did not run.
struct redirect {
  bool asking = false;  ///< ASK: this command alone, behind ASKING; otherwise MOVED: the slot's new master
  address address{};
};

/// Reads `MOVED SLOT HOST:PORT` or `ASK SLOT HOST:PORT`, said by the node at `address`, whose host an empty one is.
/// Nothing for any other text. Total.
std::optional<redirect> read_redirect(std::string_view error, address const& address);

}  // namespace svc::redis
