#pragma once

#include "svc/egress/http/http_client.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc {
class work_scheduler;
}

namespace svc::egress {

/// A TCP connection and its data.
struct stream_request {
  host host{};
  std::uint16_t port = 0;
  ip_family family = ip_family::any;  ///< applies to names
  bool tls = false;                   ///< with a certificate that is verified
  std::string send{};
  /// Returns true if the received bytes are enough; called after each piece. Null: nothing is read.
  std::function<bool(std::string_view)> enough{};
  std::size_t most_bytes = 4096;            ///< limit of received bytes
  milliseconds address_age{0};              ///< as in `http_request`
  std::shared_ptr<connection_gate> gate{};  ///< asked about each connection; null: none
};

struct stream_answer {
  /// `none`: connected, sent, and received enough, or nothing was to be read. `first_byte_timeout`,
  /// `body_timeout`, `connect_reset` (closed by the peer) and `http_invalid` (`most_bytes` arrived): the
  /// received bytes were not enough.
  failure error = failure::internal;
  std::string message{};
  bool connected = false;  ///< with TLS, if asked for
  std::string received{};
  http_timings timings{};  ///< `transfer` stays zero
  std::string address{};
  std::optional<checks::certificate> certificate{};
};

/// Opens TCP connections to targets of users, with libcurl and the same policy and verification as
/// `http_client`. Worker-local; outlives its requests.
class stream_client {
 public:
  stream_client(asio::io_context& io, resolver& names, std::shared_ptr<address_policy const> policy,
                std::shared_ptr<trust_store const> trust, work_scheduler* shares = nullptr)
      : io_(io), names_(names), policy_(std::move(policy)), trust_(std::move(trust)), shares_(shares) {}

  /// Ends by the deadline; can be cancelled like `http_client::fetch`.
  task<stream_answer> talk(stream_request request, deadline until);

 private:
  asio::io_context& io_;
  resolver& names_;
  std::shared_ptr<address_policy const> policy_;
  std::shared_ptr<trust_store const> trust_;
  work_scheduler* shares_;  ///< as in `http_client_settings`
};

}  // namespace svc::egress
