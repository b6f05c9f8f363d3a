#include "egress/addresses.hpp"

#include "svc/core/loop_activity.hpp"

#include <netinet/in.h>

#include <cstring>
#include <utility>

namespace svc::egress {

task<judged_addresses> find_judged(resolver& names, guard const& judge, host of, ip_family family, deadline until,
                                   milliseconds max_age) {
  judged_addresses out;
  std::vector<ip_address> all;
  if (of.address) {
    all.push_back(*of.address);
  } else {
    auto const begin = steady::now();
    auto const owner = working_for();
    auto found = co_await names.addresses(of.name, family, until, max_age);
    work_for(owner);
    out.took = std::chrono::duration_cast<microseconds>(steady::now() - begin);
    out.why = found.why;
    if (found.why != failure::none) co_return out;
    all = std::move(found.addresses);
  }
  out.all = judge.allowed(all);
  out.why = out.all.empty() ? failure::address_blocked : failure::none;
  co_return out;
}

socket_address::socket_address(ip_address const& at, std::uint16_t port) {
  if (at.v4) {
    auto& to = reinterpret_cast<sockaddr_in&>(storage);
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    std::memcpy(&to.sin_addr, at.bytes.data(), 4);
    size = sizeof to;
  } else {
    auto& to = reinterpret_cast<sockaddr_in6&>(storage);
    to.sin6_family = AF_INET6;
    to.sin6_port = htons(port);
    std::memcpy(&to.sin6_addr, at.bytes.data(), 16);
    size = sizeof to;
  }
}

}  // namespace svc::egress
