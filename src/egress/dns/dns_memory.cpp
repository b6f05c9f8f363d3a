#include "egress/dns/dns_memory.hpp"

#include <algorithm>
#include <utility>

namespace svc::egress {

std::vector<ip_address> const* address_cache::find(std::string const& name, ip_family family, milliseconds max_age,
                                                   steady::time_point now) const {
  auto const found = entries_.find({name, family});
  if (found == entries_.end()) return nullptr;
  auto const& entry = found->second;
  return now < entry.ends && now - entry.put < max_age ? &entry.addresses : nullptr;
}

void address_cache::put(std::string const& name, ip_family family, std::vector<ip_address> addresses,
                        std::chrono::seconds ttl, steady::time_point now) {
  auto const kept = std::min<milliseconds>(longest_, std::min(ttl, std::chrono::seconds(std::chrono::hours(24))));
  if (kept <= milliseconds::zero() || most_ == 0) {
    entries_.erase({name, family});
    return;
  }
  if (entries_.size() >= most_)
    std::erase_if(entries_, [now](auto const& entry) { return entry.second.ends <= now; });
  if (entries_.size() >= most_) entries_.clear();
  entries_.insert_or_assign({name, family}, entry{std::move(addresses), now, now + kept});
}

void server_health::answered(std::string_view name, steady::time_point time) {
  if (latest_[0] && latest_[0]->name != name) latest_[1] = std::exchange(latest_[0], std::nullopt);
  latest_[0] = remembered_name{std::string(name), time};
}

bool server_health::answered_others(std::string_view name, steady::time_point since) const {
  return std::ranges::any_of(latest_, [&](std::optional<remembered_name> const& note) {
    return note && note->name != name && note->time >= since;
  });
}

}  // namespace svc::egress
