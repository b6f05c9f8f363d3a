#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/instance.hpp"
#include "svc/redis/client.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace svc::access {

/// Lists the instances that exist, by Redis and its clock. Each call is one command. The object belongs to one
/// worker; the client outlives it.
class instance_list {
 public:
  explicit instance_list(redis::client& redis) : redis_(redis) {}

  /// Registers this instance, and returns all registered instances, including this one. Returns `std::nullopt` if
  /// Redis did not answer or rejected the registration; Redis may still have stored it.
  task<std::optional<std::vector<instance_identity>>> renew(instance_identity identity, deadline until);
  /// Removes this instance. Returns false if the removal is uncertain: the entry then expires after `instance_age`.
  task<bool> leave(instance_identity identity, deadline until);
  /// Returns `std::nullopt` if Redis did not answer.
  task<std::optional<std::vector<instance_identity>>> read(deadline until);

  /// The script must be loaded on each connection.
  static redis::script const& script();

 private:
  task<redis::outcome> ask(std::string_view subject, std::string name, deadline until);

  redis::client& redis_;
};

}  // namespace svc::access
