#pragma once

#include "svc/core/uuid.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// Who a running service is. A value; the id is drawn at the start and ends with the process.
struct instance_identity {
  uuid id;
  std::string version{};
  std::string commit{};
  std::string host{};     ///< the machine's name
  std::string address{};  ///< of its first public listener

  friend bool operator==(instance_identity const&, instance_identity const&) = default;
};

/// How often an instance says that it is there.
inline constexpr std::chrono::seconds instance_interval{3};
/// Who has said nothing for so long, by the clock of the store that was told, is there no more: killed, stopped, or
/// cut off from that store.
inline constexpr std::chrono::seconds instance_age{12};

/// `<id> <version> <commit> <host> <address>`, as Redis holds it.
std::string to_text(instance_identity const& identity);
/// Total; nothing without an id. What is missing is empty, and what a newer version adds to the end is left in the
/// address.
std::optional<instance_identity> read_instance(std::string_view text);

}  // namespace svc
