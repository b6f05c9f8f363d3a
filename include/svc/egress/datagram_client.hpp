#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/egress/connection_gate.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/host.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace svc::egress {

/// One UDP datagram.
struct datagram_request {
  host host{};
  std::uint16_t port = 0;
  ip_family family = ip_family::any;        ///< applies to names
  std::string payload{};                    ///< may be empty
  milliseconds address_age{0};              ///< as in `http_request`
  std::shared_ptr<connection_gate> gate{};  ///< asked about each connection; null: none
};

struct datagram_answer {
  /// `none`: a reply arrived. `connect_refused`: ICMP reports that no process listens. `connect_unreachable`:
  /// ICMP or this machine reports no route. `first_byte_timeout`: no reply until the deadline.
  failure error = failure::internal;
  std::string reply{};  ///< its first 4 KiB
  std::string address{};
  microseconds dns{}, first_byte{};
};

/// Sends datagrams to targets of users. Worker-local; outlives its requests.
class datagram_client {
 public:
  datagram_client(asio::io_context& io, resolver& names, std::shared_ptr<address_policy const> policy)
      : io_(io), names_(names), policy_(std::move(policy)) {}

  /// Sends the datagram to the first address with a route, and waits for the first reply from it. Ends by the
  /// deadline; can be cancelled like `http_client::fetch`.
  task<datagram_answer> ask(datagram_request request, deadline until);

 private:
  asio::io_context& io_;
  resolver& names_;
  std::shared_ptr<address_policy const> policy_;
};

}  // namespace svc::egress
