#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/redis/client.hpp"
#include "svc/redis/primary_locator.hpp"

#include <memory>
#include <string>

namespace svc::app {

/// How all connections of the process reach Redis. With sentinels they share one locator, which asks for all of them
/// and which the settings keep alive. Outlives the connections' threads, not their objects.
class redis_servers {
 public:
  /// The locator belongs to `io`. Throws as it does.
  redis_servers(asio::io_context& io, configuration const& config);

  /// Before or after connections start.
  void start();
  void stop();

  redis::settings const& decisions() const { return decisions_; }
  /// For live output: separate connections, perhaps to a separate server, which has no sentinels.
  redis::settings const& output() const { return output_; }
  /// Where the first of them is, for messages.
  std::string description() const;

 private:
  redis::settings decisions_, output_;
};

}  // namespace svc::app
