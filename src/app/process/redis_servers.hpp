#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/redis/client.hpp"
#include "svc/redis/primary_locator.hpp"

#include <memory>
#include <string>

namespace svc::app {

/// The settings with which all connections of the process reach Redis. With sentinels all connections share one
/// locator, which the settings keep alive. The object outlives the connections' threads, not the connection objects.
class redis_servers {
 public:
  /// Creates the locator on `io`, and throws the same exceptions as the locator.
  redis_servers(asio::io_context& io, configuration const& config);

  /// May be called before or after connections start.
  void start();
  void stop();

  redis::settings const& decisions() const { return decisions_; }
  /// Returns the settings for live output: separate connections, perhaps to a separate server, which has no
  /// sentinels.
  redis::settings const& output() const { return output_; }
  /// Returns the address of the first server, for messages.
  std::string description() const;

 private:
  redis::settings decisions_, output_;
};

}  // namespace svc::app
