#include "app/process/redis_servers.hpp"

namespace svc::app {

redis_servers::redis_servers(asio::io_context& io, configuration const& config)
    : decisions_(config.to_redis_settings()), output_(config.to_output_redis_settings()) {
  if (!config.uses_sentinel()) return;
  decisions_.through = std::make_shared<redis::primary_locator>(io, config.to_sentinel_settings(), decisions_);
  if (config.redis.output_url.empty()) output_.through = decisions_.through;
}

void redis_servers::start() {
  if (decisions_.through) decisions_.through->start();
}

void redis_servers::stop() {
  if (decisions_.through) decisions_.through->stop();
}

std::string redis_servers::description() const {
  if (decisions_.through) return decisions_.through->description();
  if (!decisions_.cluster.empty()) return "the nodes " + redis::list_of(decisions_.cluster);
  return decisions_.unix_path.empty() ? decisions_.host + ":" + decisions_.port : decisions_.unix_path;
}

}  // namespace svc::app
