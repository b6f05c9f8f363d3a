#pragma once

#include "app/configuration/check_findings.hpp"
#include "app/configuration/configuration.hpp"
#include "svc/redis/reply.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::app {

/// Where a right of the service's user is needed.
enum class right_scope : std::uint8_t { server, cluster, sentinel };

/// One rule of ACL SETUSER that docs/operating.md lists, with a command that only a user with this right may send.
/// The command changes nothing, except LPUSH, which makes the key `svc:check` that the next command deletes.
struct probed_right {
  std::string_view rule;
  std::vector<std::string> command;
  right_scope scope = right_scope::server;
};

/// All rights, in the order in which they can be sent on one connection: those of subscribers come last.
std::vector<probed_right> const& probed_rights();

/// The right that a refusal of a command shows to be missing: the command's, that of the keys or that of the
/// channels. Nothing if the reply is no refusal. Pure.
std::optional<std::string> missing_right(probed_right const& right, redis::reply const& reply);

/// Connects to every Redis server and sentinel of the configuration as the service would: PING, role,
/// `maxmemory-policy`, rights, which primary the sentinels name, the state of the Cluster. Blocks for a few seconds
/// when a server does not answer.
check_findings check_redis(configuration const& config);

}  // namespace svc::app
