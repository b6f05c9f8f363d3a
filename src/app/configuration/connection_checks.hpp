#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/redis/reply.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The checks of `svcd check-config --connect` for Redis and the mail server; that of PostgreSQL is in `migrations`.

namespace svc::app {

/// The sentences of a check that connects, for the operator: one for each server and property. A value.
struct check_findings {
  std::vector<std::string> facts{};
  std::vector<std::string> problems{};  ///< each has advice
  std::vector<std::string> warnings{};  ///< facts that work, but should be changed
};

/// Connects to every Redis server and sentinel of the configuration as the service would: PING, role,
/// `maxmemory-policy`, rights, which primary the sentinels name, the state of the Cluster. Blocks for a few seconds
/// when a server does not answer.
check_findings check_redis(configuration const& config);

/// Connects to the mail server of the configuration as the service would for a mail: EHLO, STARTTLS with its
/// certificate, login. Sends no mail. Blocks for ten seconds at most. Finds nothing without `smtp.url`.
check_findings check_mail_server(configuration const& config);

/// The kind of server that requires a right of the service's user.
enum class right_scope : std::uint8_t { server, cluster, sentinel };

/// One rule of ACL SETUSER that docs/operating.md lists, with a command that only a user with this right may send.
/// The command changes nothing, except LPUSH, which makes the key `svc:check` that the next command deletes.
struct probed_right {
  std::string_view rule;
  std::vector<std::string> command;
  right_scope scope = right_scope::server;
};

/// Returns all rights, in the order in which they can be sent on one connection: those of subscribers are last.
std::vector<probed_right> const& probed_rights();

/// Returns the right that a refusal of a command shows to be missing: the command's, that of the keys or that of the
/// channels. Returns `std::nullopt` if the reply is no refusal. Pure.
std::optional<std::string> missing_right(probed_right const& right, redis::reply const& reply);

}  // namespace svc::app
