#pragma once

#include "redis/server_subscriber.hpp"
#include "redis/topology.hpp"

#include <map>

namespace svc::redis {

/// Subscribers at the masters of a Redis Cluster: each channel is subscribed at the master of its slot.
/// Messages published there arrive even if the nodes do not reach each other; messages of plain channels also
/// arrive from other masters.
class cluster_subscriber final : public subscriber::backend, public std::enable_shared_from_this<cluster_subscriber> {
 public:
  cluster_subscriber(asio::io_context& io, settings where, shared_tls tls, subscriber::listener& listener);

  void start() override;
  void stop() override;
  bool connected() const override;
  void subscribe(std::string const& channel) override;
  void unsubscribe(std::string const& channel) override;

 private:
  void take(slot_map slots);
  void put(std::string const& channel, std::string& address);
  server_subscriber& server_at(address const& node);
  void lost(std::string const& channel);

  asio::io_context& io_;
  settings const where_;
  subscriber::listener* listener_;
  shared_tls const tls_;
  std::shared_ptr<topology> topology_;
  slot_map slots_;
  std::map<std::string, std::shared_ptr<server_subscriber>> servers_;  // by address
  std::map<std::string, std::string> wanted_;  // channels with the address of their server; empty: none
};

}  // namespace svc::redis
