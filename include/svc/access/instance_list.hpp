#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/instance.hpp"
#include "svc/redis/client.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace svc::access {

/// Who is there, by Redis and its clock. Each call is one command. Worker-local; the client outlives it.
class instance_list {
 public:
  explicit instance_list(redis::client& redis) : redis_(redis) {}

  /// Says that this instance is there, and returns who else is, with itself. Nothing when Redis did not answer or did
  /// not take it: it may have done either.
  task<std::optional<std::vector<instance_identity>>> beat(instance_identity identity, deadline until);
  /// Removes this instance. False when that is not certain: its entry then ends with `instance_age`.
  task<bool> leave(instance_identity identity, deadline until);
  /// Nothing when Redis did not answer.
  task<std::optional<std::vector<instance_identity>>> read(deadline until);

  /// Must be loaded on each connection.
  static redis::script const& script();

 private:
  task<redis::outcome> ask(std::string_view subject, std::string name, deadline until);

  redis::client& redis_;
};

}  // namespace svc::access
