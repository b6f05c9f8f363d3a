#pragma once

#include "svc/core/uuid.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// The identity of a running service. A value; the process draws the id at its start, and the id ends with the
/// process.
struct instance_identity {
  uuid id;
  std::string version{};
  std::string commit{};
  std::string host{};     ///< the machine's name
  std::string address{};  ///< of its first public listener

  friend bool operator==(instance_identity const&, instance_identity const&) = default;
};

/// The interval between two heartbeats of an instance.
inline constexpr std::chrono::seconds instance_interval{3};
/// The age, by the store's clock, from which an instance without a heartbeat no longer exists: it was killed,
/// stopped, or cut off from that store.
inline constexpr std::chrono::seconds instance_age{12};

/// Returns `<id> <version> <commit> <host> <address>`, the form in Redis.
std::string to_text(instance_identity const& identity);
/// Returns `std::nullopt` without an id. Missing parts are empty, and parts that a newer version adds at the end stay
/// in the address. Total.
std::optional<instance_identity> read_instance(std::string_view text);

}  // namespace svc
