#pragma once

#include "svc/core/async.hpp"
#include "svc/redis/address.hpp"
#include "svc/redis/client.hpp"
#include "svc/redis/primary_locator.hpp"

#include <string>
#include <vector>

namespace svc::redis {

/// The replies of one server to the questions of an operator's check.
struct inquiry {
  std::vector<reply> replies{};  ///< one for each question, errors included; empty if there is a fault
  std::string fault{};           ///< why the server could not be asked; empty if it was. Contains no secret
};

/// Opens a connection of its own to one server or sentinel, logs in as the settings say, sends all questions at once,
/// and closes the connection. `address` replaces the host and port of the settings; a Unix socket stays. Ends within
/// `connect_timeout`. Throws nothing that the settings, the network or the server cause.
task<inquiry> inquire(asio::io_context& io, settings where, address address,
                      std::vector<std::vector<std::string>> questions);

/// How to reach a sentinel: `address` is only what the result's host and port are.
settings settings_for(sentinel_settings const& settings, address const& sentinel);

}  // namespace svc::redis
