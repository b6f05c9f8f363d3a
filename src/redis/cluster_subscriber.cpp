#include "redis/cluster_subscriber.hpp"

#include <algorithm>

namespace svc::redis {

cluster_subscriber::cluster_subscriber(asio::io_context& io, settings where, shared_tls tls,
                                       subscriber::listener& listener)
    : io_(io), where_(std::move(where)), listener_(&listener), tls_(std::move(tls)) {}

void cluster_subscriber::start() {
  // The topology refers to this object without owning it. `stop`, which the subscriber's destructor calls, ends the
  // topology first.
  topology_ = std::make_shared<topology>(io_, where_, tls_.get(),
                                         topology::owner{[this] { return slots_.masters; },
                                                         {},
                                                         [this](slot_map slots) { take(std::move(slots)); },
                                                         {},
                                                         [this] { return connected(); }});
  topology_->start();
}

void cluster_subscriber::stop() {
  if (topology_) topology_->stop();
  for (auto const& [entry, element] : servers_) element->stop();
}

bool cluster_subscriber::connected() const {
  return slots_.complete() &&
         std::none_of(wanted_.begin(), wanted_.end(), [](auto const& entry) { return entry.second.empty(); }) &&
         std::all_of(servers_.begin(), servers_.end(), [](auto const& entry) { return entry.second->connected(); });
}

void cluster_subscriber::subscribe(std::string const& channel) {
  auto const [found, is_new] = wanted_.try_emplace(channel);
  if (is_new) put(channel, found->second);
}

void cluster_subscriber::unsubscribe(std::string const& channel) {
  auto const found = wanted_.find(channel);
  if (found == wanted_.end()) return;
  if (auto const server = servers_.find(found->second); server != servers_.end())
    server->second->unsubscribe(channel);
  wanted_.erase(found);
}

void cluster_subscriber::take(slot_map slots) {
  auto const former = std::exchange(slots_, std::move(slots));
  if (former.masters != slots_.masters) listener_->on_masters(slots_.masters, taken_over(former, slots_).size());
  for (auto entry = servers_.begin(); entry != servers_.end();) {
    auto const address = parse_address(entry->first);
    bool const stays = address && slots_.names(*address);
    if (!stays) {
      entry->second->stop();
      // The same master may come back.
      for (auto& [channel, heard_at] : wanted_)
        if (heard_at == entry->first) heard_at.clear();
    }
    entry = stays ? std::next(entry) : servers_.erase(entry);
  }
  for (auto& [channel, position] : wanted_) put(channel, position);
}

/// Hears the channel at the master of its slot, and no longer elsewhere.
void cluster_subscriber::put(std::string const& channel, std::string& address) {
  if (!slots_.complete()) return;
  auto const& owner = slots_.masters[slots_.owners[slot_of(channel)]];
  auto const before = std::exchange(address, owner.to_string());
  if (before == address) return;
  if (auto const former = servers_.find(before); former != servers_.end()) former->second->unsubscribe(channel);
  server_at(owner).subscribe(channel);
}

server_subscriber& cluster_subscriber::server_at(address const& node) {
  auto& entry = servers_[node.to_string()];
  if (entry) return *entry;
  auto where = where_;
  where.cluster.clear();
  where.host = node.host;
  where.port = node.port;
  auto const self = weak_from_this();
  entry = std::make_shared<server_subscriber>(io_, std::move(where), tls_, *listener_,
                                              [self](std::string const& channel) {
                                                if (auto const alive = self.lock()) alive->lost(channel);
                                              });
  entry->start();
  return *entry;
}

/// The next view of the Cluster places it again.
void cluster_subscriber::lost(std::string const& channel) {
  if (auto const found = wanted_.find(channel); found != wanted_.end()) found->second.clear();
  topology_->refresh();
}

}  // namespace svc::redis
