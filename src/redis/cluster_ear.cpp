#include "redis/cluster_ear.hpp"

#include <algorithm>

namespace svc::redis {

cluster_ear::cluster_ear(asio::io_context& io, settings where, shared_tls tls, subscriber::listener& to)
    : io_(io), where_(std::move(where)), to_(&to), tls_(std::move(tls)) {}

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
  for (auto const& [at, one] : ears_) one->stop();
}

bool cluster_ear::connected() const {
  return slots_.complete() &&
         std::none_of(wanted_.begin(), wanted_.end(), [](auto const& one) { return one.second.empty(); }) &&
         std::all_of(ears_.begin(), ears_.end(), [](auto const& one) { return one.second->connected(); });
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
  if (former.masters != slots_.masters) to_->on_masters(slots_.masters, taken_over(former, slots_).size());
  for (auto one = ears_.begin(); one != ears_.end();) {
    auto const at = parse_address(one->first);
    bool const stays = at && slots_.names(*at);
    if (!stays) {
      one->second->stop();
      // The same master may come back.
      for (auto& [channel, heard_at] : wanted_)
        if (heard_at == one->first) heard_at.clear();
    }
    one = stays ? std::next(one) : ears_.erase(one);
  }
  for (auto& [channel, at] : wanted_) place(channel, at);
}

/// Hears the channel at the master of its slot, and no longer elsewhere.
void cluster_ear::place(std::string const& channel, std::string& at) {
  if (!slots_.complete()) return;
  auto const& owner = slots_.masters[slots_.owners[slot_of(channel)]];
  auto const before = std::exchange(at, owner.to_string());
  if (before == at) return;
  if (auto const former = ears_.find(before); former != ears_.end()) former->second->unsubscribe(channel);
  ear_at(owner).subscribe(channel);
}

server_ear& cluster_ear::ear_at(address const& node) {
  auto& one = ears_[node.to_string()];
  if (one) return *one;
  auto where = where_;
  where.cluster.clear();
  where.host = node.host;
  where.port = node.port;
  auto const self = weak_from_this();
  one = std::make_shared<server_ear>(io_, std::move(where), tls_, *to_, [self](std::string const& channel) {
    if (auto const alive = self.lock()) alive->lost(channel);
  });
  one->start();
  return *one;
}

/// The next view of the Cluster places it again.
void cluster_ear::lost(std::string const& channel) {
  if (auto const found = wanted_.find(channel); found != wanted_.end()) found->second.clear();
  topology_->refresh();
}

}  // namespace svc::redis
