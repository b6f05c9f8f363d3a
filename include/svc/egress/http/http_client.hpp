#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/connection_gate.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/failure.hpp"
#include "svc/egress/guard.hpp"
#include "svc/egress/trust.hpp"
#include "svc/egress/url.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc {
class work_scheduler;
}

namespace svc::egress {

/// A field of a request. `Authorization`, `Proxy-Authorization`, `Cookie` and `Host` go to the first origin alone,
/// whatever the flag says.
struct request_field {
  std::string name{};
  std::string value{};
  bool secret = false;  ///< goes to the first origin alone
};

/// Whether a field is none of the caller's, because it frames the message; `name` in lower case.
bool is_reserved_field(std::string_view name);

/// How a server is verified, and what it is shown.
struct tls_choice {
  bool verify = true;         ///< false: any certificate is taken, and reported
  std::string server_name{};  ///< for SNI and verification at the first origin instead of the URL's host; no address
  bool only_tls13 = false;    ///< otherwise TLS 1.2 is enough
  std::string authorities{};  ///< PEM: trusted besides those of the client
  std::string certificate{};  ///< PEM, with its chain; shown to the first origin alone
  std::string key{};          ///< PEM, of that certificate; secret
};

struct http_request {
  std::string method = "GET";  ///< in capitals
  http_url url{};
  /// One that `is_reserved_field`, or that is no field by RFC 9110 5, ends as `target_invalid`. `Accept-Encoding:
  /// gzip` and `User-Agent` are added unless given.
  std::vector<request_field> fields{};
  std::string body{};
  bool secret_body = false;  ///< goes to the first origin alone: a redirect elsewhere that keeps it is refused
  bool follow_redirects = true;
  unsigned most_redirects = 5;
  ip_family family = ip_family::any;  ///< of names; an address in the URL is what it is
  std::size_t most_body_bytes = 1024 * 1024;
  tls_choice tls{};
  /// How old addresses from the cache may be; zero: each attempt and each hop is resolved anew.
  milliseconds address_age{0};
  std::shared_ptr<connection_gate> gate{};  ///< asked about each connection; null: none
};

/// How long each phase took, summed over all hops; zero for what was not reached.
struct http_timings {
  microseconds dns{}, connect{}, tls{}, first_byte{}, transfer{};
  microseconds total{};  ///< of the whole attempt
};

/// What came of an attempt. With a failure, the members tell of the last hop what is known.
struct http_answer {
  failure error = failure::internal;
  /// For users: one sentence without a secret, and without an address if that was blocked. Empty for `none`.
  std::string message{};
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields{};  ///< names in lower case, in the order they came
  std::string body{};                                         ///< decoded, at most `most_body_bytes`
  bool truncated = false;                                     ///< there was more, which was not read
  http_timings timings{};
  std::string address{};       ///< of the server that answered; empty if no connection was made
  std::string http_version{};  ///< "1.0", "1.1", "2"
  unsigned redirects = 0;      ///< that were followed
  std::string url{};           ///< of the last hop
  /// Of the last hop, also if it could not be verified.
  std::optional<checks::certificate> certificate{};

  /// The first field of that name (lower case); nullptr: none.
  std::string const* field(std::string_view name) const;
};

/// Immutable.
struct http_client_settings {
  std::string user_agent = "svcd";
  work_scheduler* shares = nullptr;  ///< of the thread's time; outlives the client. Null: nobody shares it
};

/// Sends requests to what users name, by libcurl on the worker's own event loop. Worker-local: one for each thread
/// and `io_context`, destroyed before both the resolver and the `io_context`; requests that are open then end as
/// `cancelled` if the loop still runs.
///
/// Each request: the name is resolved here, addresses that the guard does not allow are passed over, and libcurl is
/// given the others alone; the guard judges again the address of each socket before it connects, and that of the peer
/// before the first byte of the request. Redirects are followed one request at a time, with all of that anew. A gate
/// is asked about each address; an address that it would let wait is tried after the others. Each connection is new,
/// with a full handshake, and closed afterwards. Nothing comes from the environment: no proxy, no
/// `.netrc`, no cookies. A server that cannot be verified gets no request.
class http_client {
 public:
  /// The resolver outlives the client. Throws `std::runtime_error` if libcurl cannot be set up.
  http_client(asio::io_context& io, resolver& names, std::shared_ptr<guard const> judge,
              std::shared_ptr<trust_store const> trust, http_client_settings settings = {});
  ~http_client();
  http_client(http_client const&) = delete;
  http_client& operator=(http_client const&) = delete;

  /// The attempt with its redirects; ends by the deadline (a lookup may take somewhat longer, see `resolver::query`),
  /// and throws nothing that the network or the request causes. Can be cancelled through the cancellation slot of the
  /// awaiting coroutine (`asio::cancellation_type::terminal`): the connection is closed.
  task<http_answer> fetch(http_request request, deadline until);

 private:
  class implementation;
  std::shared_ptr<implementation> impl_;
};

}  // namespace svc::egress
