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
  ip_family family = ip_family::any;  ///< applies to names
  unsigned count = 3;
  milliseconds interval{200};
  std::size_t payload = 56;                 ///< bytes of each request
  milliseconds address_age{0};              ///< as in `http_request`
  std::shared_ptr<connection_gate> gate{};  ///< asked about each connection; null: none
};

struct ping_answer {
  /// `none`: requests were sent; `received` counts the replies. `connect_unreachable`: this machine or a
  /// router reports no route, and no reply arrived. `internal`: no request was sent, for lack of buffers.
  failure error = failure::internal;
  unsigned sent = 0, received = 0;      ///< `sent` excludes requests that lacked buffers
  microseconds least{}, most{}, sum{};  ///< round trips of the received replies
  std::string address{};
  microseconds dns{};
};

/// Sends ICMP echo requests, and no substitute for them, on one socket for each family. Worker-local;
/// outlives its requests.
///
/// The sockets are unprivileged (`SOCK_DGRAM`, allowed by `net.ipv4.ping_group_range`), otherwise raw (with
/// CAP_NET_RAW). A reply counts if it comes from the requested address, and has the request's sequence number
/// and random bytes (16, or as many as the payload holds).
class pinger {
 public:
  pinger(asio::io_context& io, resolver& names, std::shared_ptr<address_policy const> policy);
  ~pinger();
  pinger(pinger const&) = delete;
  pinger& operator=(pinger const&) = delete;

  /// Returns true if this process may open such sockets of IPv4.
  bool available() const;

  /// Returns `std::nullopt` if there is no socket for the address's family. Ends when all requests are
  /// answered, or at the deadline. Can be cancelled like `http_client::fetch`.
  task<std::optional<ping_answer>> ping(ping_request request, deadline until);

 private:
  class icmp_socket;

  resolver& names_;
  std::shared_ptr<address_policy const> policy_;
  std::shared_ptr<icmp_socket> v4_, v6_;  ///< null: not allowed
};

}  // namespace svc::egress
