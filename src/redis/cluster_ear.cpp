#include "redis/cluster_ear.hpp"

#include <algorithm>

namespace svc::redis {

cluster_ear::cluster_ear(asio::io_context& io, settings where, shared_tls tls, subscriber::listener& listener)
    : io_(io), where_(std::move(where)), listener_(&listener), tls_(std::move(tls)) {}

void cluster_ear::start() {
  // It refers to this object without owning it: `stop` ends it first, which the subscriber's end calls.
  topology_ = std::make_shared<topology>(io_, where_, tls_.get(),
                                         topology::owner{[this] { return slots_.masters; },
                                                         {},
                                                         [this](slot_map slots) { take(std::move(slots)); },
                                                         {},
                                                         [this] { return connected(); }});
  topology_->start();
}

void cluster_ear::stop() {
  if (topology_) topology_->stop();
  for (auto const& [entry, element] : ears_) element->stop();
}

bool cluster_ear::connected() const {
  return slots_.complete() &&
         std::none_of(wanted_.begin(), wanted_.end(), [](auto const& entry) { return entry.second.empty(); }) &&
         std::all_of(ears_.begin(), ears_.end(), [](auto const& entry) { return entry.second->connected(); });
}

void cluster_ear::subscribe(std::string const& channel) {
  auto const [found, is_new] = wanted_.try_emplace(channel);
  if (is_new) place(channel, found->second);
}

void cluster_ear::unsubscribe(std::string const& channel) {
  auto const found = wanted_.find(channel);
  if (found == wanted_.end()) return;
  if (auto const ear = ears_.find(found->second); ear != ears_.end()) ear->second->unsubscribe(channel);
  wanted_.erase(found);
}

void cluster_ear::take(slot_map slots) {
  auto const former = std::exchange(slots_, std::move(slots));
  if (former.masters != slots_.masters) listener_->on_masters(slots_.masters, taken_over(former, slots_).size());
  for (auto entry = ears_.begin(); entry != ears_.end();) {
    auto const address = parse_address(entry->first);
    bool const stays = address && slots_.names(*address);
    if (!stays) {
      entry->second->stop();
      // The same master may come back.
      for (auto& [channel, heard_at] : wanted_)
        if (heard_at == entry->first) heard_at.clear();
    }
    entry = stays ? std::next(entry) : ears_.erase(entry);
  }
  for (auto& [channel, position] : wanted_) place(channel, position);
}

/// Hears the channel at the master of its slot, and no longer elsewhere.
void cluster_ear::place(std::string const& channel, std::string& address) {
  if (!slots_.complete()) return;
  auto const& owner = slots_.masters[slots_.owners[slot_of(channel)]];
  auto const before = std::exchange(address, owner.to_string());
  if (before == address) return;
  if (auto const former = ears_.find(before); former != ears_.end()) former->second->unsubscribe(channel);
  ear_at(owner).subscribe(channel);
}

server_ear& cluster_ear::ear_at(address const& node) {
  auto& entry = ears_[node.to_string()];
  if (entry) return *entry;
  auto where = where_;
  where.cluster.clear();
  where.host = node.host;
  where.port = node.port;
  auto const self = weak_from_this();
  entry = std::make_shared<server_ear>(io_, std::move(where), tls_, *listener_, [self](std::string const& channel) {
    if (auto const alive = self.lock()) alive->lost(channel);
  });
  entry->start();
  return *entry;
}

/// The next view of the Cluster places it again.
void cluster_ear::lost(std::string const& channel) {
  if (auto const found = wanted_.find(channel); found != wanted_.end()) found->second.clear();
  topology_->refresh();
}

}  // namespace svc::redis
