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

inline redis_servers::redis_servers(asio::io_context& io, configuration const& config)
    : decisions_(config.to_redis_settings()), output_(config.to_output_redis_settings()) {
  if (!config.uses_sentinel()) return;
  decisions_.through = std::make_shared<redis::primary_locator>(io, config.to_sentinel_settings(), decisions_);
  if (config.redis.output_url.empty()) output_.through = decisions_.through;
}

inline void redis_servers::start() {
  if (decisions_.through) decisions_.through->start();
}

inline void redis_servers::stop() {
  if (decisions_.through) decisions_.through->stop();
}

inline std::string redis_servers::description() const {
  if (decisions_.through) return decisions_.through->description();
  if (!decisions_.cluster.empty()) return "the nodes " + redis::list_of(decisions_.cluster);
  return decisions_.unix_path.empty() ? decisions_.host + ":" + decisions_.port : decisions_.unix_path;
}

}  // namespace svc::app
