#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/host.hpp"

#include <sys/socket.h>

#include <cstdint>
#include <vector>

namespace svc::egress {

/// Addresses that the policy allows.
struct allowed_addresses {
  failure error = failure::internal;  ///< `none`: there is at least one address
  std::vector<ip_address> all{};
  microseconds took{};  ///< time spent in DNS
};

/// Returns the addresses of a host that the policy allows, or the reason why there are none. `family` applies
/// only to names; a literal address is used as it is. DNS results that are at most `max_age` old may come
/// from the cache.
task<allowed_addresses> find_allowed(resolver& names, address_policy const& policy, host host, ip_family family,
                                     deadline until, milliseconds max_age);

/// An address in the kernel's form.
struct socket_address {
  socket_address(ip_address const& ip, std::uint16_t port);
  sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&storage); }

  sockaddr_storage storage{};
  socklen_t size = 0;
};

}  // namespace svc::egress
