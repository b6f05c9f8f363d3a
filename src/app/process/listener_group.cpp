#include "app/process/listener_group.hpp"

#include "svc/core/log.hpp"

namespace svc::app {

listener_group::listener_group(asio::io_context& control, configuration const& config, worker_group& workers,
                               std::vector<int> const& descriptors)
    : config_(config) {
  for (auto const& each : config.listeners) {
    net::listener_traits const traits{
        .tls = each.tls, .proxy_protocol = each.proxy_protocol, .unix_mode = each.unix_mode};
    all_.push_back(std::make_unique<net::listener>(control, each.address, traits, workers.connections(each.kind),
                                                   descriptors[all_.size()]));
  }
}

void listener_group::start(std::optional<listener_kind> kind) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    auto const& its = config_.listeners[i];
    if (kind && its.kind != *kind) continue;
    all_[i]->start();
    log::info("listening", {{"address", all_[i]->address()},
                            {"kind", its.kind == listener_kind::internal_api ? "internal" : "public"},
                            {"tls", its.tls},
                            {"proxyProtocol", its.proxy_protocol}});
  }
}

void listener_group::stop() {
  for (auto& each : all_) each->stop();
}

std::string const& listener_group::public_address() const {
  return all_[static_cast<std::size_t>(config_.first_public() - config_.listeners.data())]->address();
}

}  // namespace svc::app
