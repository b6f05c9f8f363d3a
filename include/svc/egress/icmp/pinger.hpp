#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/egress/connection_gate.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/host.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace svc::egress {

/// Echo requests to one host.
struct ping_request {
  host host{};
  ip_family family = ip_family::any;  ///< of names
  unsigned count = 3;
  milliseconds interval{200};
  std::size_t payload = 56;                 ///< bytes of each
  milliseconds address_age{0};              ///< as in `http_request`
  std::shared_ptr<connection_gate> gate{};  ///< asked about each connection; null: none
};

struct ping_answer {
  /// `none`: they were sent; `received` says how they fared. `connect_unreachable`: there is no way, as this machine
  /// or a router says, and no reply came. `internal`: none could be sent for want of buffers.
  failure error = failure::internal;
  unsigned sent = 0, received = 0;      ///< what could not be sent for want of buffers is none of `sent`
  microseconds least{}, most{}, sum{};  ///< round trips of those received
  std::string address{};
  microseconds dns{};
};

/// Sends ICMP echo requests, and nothing else in their place, by one socket for each family. Worker-local; outlives
/// its requests.
///
/// The sockets are unprivileged ones (`SOCK_DGRAM`, allowed by `net.ipv4.ping_group_range`), else raw ones (with
/// CAP_NET_RAW). A reply is one from the address that was asked, with its sequence number and the random bytes of the
/// request, as many of 16 as its payload holds.
class pinger {
 public:
  pinger(asio::io_context& io, resolver& names, std::shared_ptr<address_policy const> policy);
  ~pinger();
  pinger(pinger const&) = delete;
  pinger& operator=(pinger const&) = delete;

  /// Whether this process may open such sockets of IPv4.
  bool available() const;

  /// Nothing if there is no socket for the address's family. Ends when all were answered, or at the deadline.
  /// Cancellable as `http_client::fetch`.
  task<std::optional<ping_answer>> ping(ping_request request, deadline until);

 private:
  class icmp_socket;

  resolver& names_;
  std::shared_ptr<address_policy const> policy_;
  std::shared_ptr<icmp_socket> v4_, v6_;  ///< null: not allowed
};

}  // namespace svc::egress
