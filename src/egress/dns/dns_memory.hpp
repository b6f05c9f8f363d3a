#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/egress/dns/resolver.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::egress {

/// Found addresses, kept for at most their TTL. Pure; worker-local.
class address_cache {
 public:
  /// Keeps at most `most` names, each for at most `longest`.
  address_cache(std::size_t most, milliseconds longest) : most_(most), longest_(longest) {}

  /// Returns null if there are none, or if they were put more than `max_age` ago. Valid until the next `put`.
  std::vector<ip_address> const* find(std::string const& name, ip_family family, milliseconds max_age,
                                      steady::time_point now) const;
  /// Keeps nothing if the TTL is zero. A full cache first drops expired names, then all names.
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

/// The health of the servers, as their answers to other names show. Pure; worker-local.
class server_health {
 public:
  /// Records an answer about that name at `time`, even if the name does not exist.
  void answered(std::string_view name, steady::time_point time);
  /// Returns true if the servers have answered about another name since then.
  bool answered_others(std::string_view name, steady::time_point since) const;

 private:
  struct remembered_name {
    std::string name{};
    steady::time_point time{};
  };
  /// The latest two names; at least one of them differs from any given name.
  std::array<std::optional<remembered_name>, 2> latest_;
};

}  // namespace svc::egress
