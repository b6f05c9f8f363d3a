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
  std::string fault{};           ///< reason why the server could not be asked, without secrets; empty if it was asked
};

/// Opens its own connection to one server or sentinel, logs in as the settings say, sends all questions at once, and
/// closes the connection. `address` replaces the host and port of the settings; a Unix socket stays. Ends within
/// `connect_timeout`. No behaviour of the settings, the network or the server makes it throw.
task<inquiry> inquire(asio::io_context& io, settings where, address address,
                      std::vector<std::vector<std::string>> questions);

/// Returns the settings for a connection to a sentinel. `sentinel` becomes only the host and port of the result.
settings settings_for(sentinel_settings const& settings, address const& sentinel);

}  // namespace svc::redis
