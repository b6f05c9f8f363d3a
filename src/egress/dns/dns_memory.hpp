#pragma once

#include "svc/core/cidr.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/dns/resolver.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::egress {

/// Addresses that were found, for at most their TTL. Pure; worker-local.
class address_cache {
 public:
  /// At most this many names, each for at most this long.
  address_cache(std::size_t most, milliseconds longest) : most_(most), longest_(longest) {}

  /// Null if there are none, or if they were put more than `max_age` ago. Valid until the next `put`.
  std::vector<ip_address> const* find(std::string const& name, ip_family family, milliseconds max_age,
                                      steady::time_point now) const;
  /// A TTL of zero keeps nothing. A full cache first loses what has expired, then everything.
  void put(std::string const& name, ip_family family, std::vector<ip_address> addresses, std::chrono::seconds ttl,
           steady::time_point now);
  std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    std::vector<ip_address> addresses;
    steady::time_point put, ends;
  };

  std::size_t const most_;
  milliseconds const longest_;
  std::map<std::pair<std::string, ip_family>, entry> entries_;
};

/// Whether the servers are well, as the answers to other names show. Pure; worker-local.
class server_health {
 public:
  /// An answer about that name came `time` then, be it that there is no such name.
  void answered(std::string_view name, steady::time_point time);
  /// They answered about another name since then.
  bool answered_others(std::string_view name, steady::time_point since) const;

 private:
  struct remembered_name {
    std::string name{};
    steady::time_point time{};
  };
  /// The latest two names: one of them is another than any name.
  std::array<std::optional<remembered_name>, 2> latest_;
};

}  // namespace svc::egress
