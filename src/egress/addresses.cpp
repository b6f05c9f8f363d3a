#include "egress/addresses.hpp"

#include "svc/core/loop_activity.hpp"

#include <netinet/in.h>

#include <cstring>
#include <utility>

namespace svc::egress {

task<allowed_addresses> find_allowed(resolver& names, address_policy const& policy, host host, ip_family family,
                                     deadline until, milliseconds max_age) {
  allowed_addresses out;
  std::vector<ip_address> all;
  if (host.address) {
    all.push_back(*host.address);
  } else {
    auto const begin = steady::now();
    auto const owner = working_for();
    auto found = co_await names.addresses(host.name, family, until, max_age);
    work_for(owner);
    out.took = std::chrono::duration_cast<microseconds>(steady::now() - begin);
    out.error = found.error;
    if (found.error != failure::none) co_return out;
    all = std::move(found.addresses);
  }
  out.all = policy.allowed(all);
  out.error = out.all.empty() ? failure::address_blocked : failure::none;
  co_return out;
}

socket_address::socket_address(ip_address const& ip, std::uint16_t port) {
  if (ip.v4) {
    auto& address = reinterpret_cast<sockaddr_in&>(storage);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    std::memcpy(&address.sin_addr, ip.bytes.data(), 4);
    size = sizeof address;
  } else {
    auto& target = reinterpret_cast<sockaddr_in6&>(storage);
    target.sin6_family = AF_INET6;
    target.sin6_port = htons(port);
    std::memcpy(&target.sin6_addr, ip.bytes.data(), 16);
    size = sizeof target;
  }
}

}  // namespace svc::egress
