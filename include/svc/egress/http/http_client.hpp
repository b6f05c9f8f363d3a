#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/egress/connection_gate.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/failure.hpp"
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

/// A field of a request. The client sends `Authorization`, `Proxy-Authorization`, `Cookie` and `Host` only to the
/// first origin, even if `secret` is false.
struct request_field {
  std::string name{};
  std::string value{};
  bool secret = false;  ///< true: sent only to the first origin
};

/// Returns true if callers must not set the field, because it frames the message; `name` is in lower case.
bool is_reserved_field(std::string_view name);

/// The rules for verifying a server, and the certificate that the client presents.
struct tls_choice {
  bool verify = true;         ///< false: any certificate is accepted and reported
  std::string server_name{};  ///< name for SNI and verification at the first origin instead of the URL's host; not an
                              ///< address
  bool only_tls13 = false;    ///< false: TLS 1.2 is enough
  std::string authorities{};  ///< PEM: trusted in addition to the client's authorities
  std::string certificate{};  ///< PEM, with its chain; presented only to the first origin
  std::string key{};          ///< PEM: key of that certificate; secret
};

struct http_request {
  std::string method = "GET";  ///< in capitals
  http_url url{};
  /// A field that `is_reserved_field`, or that is invalid by RFC 9110 5, makes the request fail as `target_invalid`.
  /// The client adds `Accept-Encoding: gzip` and `User-Agent` unless they are given.
  std::vector<request_field> fields{};
  std::string body{};
  bool secret_body = false;  ///< true: sent only to the first origin; a redirect to another origin that keeps the
                             ///< body is refused
  bool follow_redirects = true;
  unsigned most_redirects = 5;
  ip_family family = ip_family::any;  ///< applies to names; an address in the URL is used as it is
  std::size_t most_body_bytes = 1024 * 1024;
  tls_choice tls{};
  /// Maximum age of cached addresses; zero: each attempt and each hop resolves the name again.
  milliseconds address_age{0};
  std::shared_ptr<connection_gate> gate{};  ///< limits each connection; null: no limit
};

/// Duration of each phase, summed over all hops; zero for phases that were not reached.
struct http_timings {
  microseconds dns{}, connect{}, tls{}, first_byte{}, transfer{};
  microseconds total{};  ///< duration of the whole attempt
};

/// The outcome of an attempt. After a failure, the members describe the last hop as far as it is known.
struct http_answer {
  failure error = failure::internal;
  /// One sentence for users. It contains no secret, and no address if the address was blocked. Empty for `none`.
  std::string message{};
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields{};  ///< names in lower case, in the order of arrival
  std::string body{};                                         ///< decoded, at most `most_body_bytes`
  bool truncated = false;                                     ///< true: the rest of the body was not read
  http_timings timings{};
  std::string address{};       ///< address of the server that answered; empty if no connection was made
  std::string http_version{};  ///< "1.0", "1.1", "2"
  unsigned redirects = 0;      ///< number of redirects that were followed
  std::string url{};           ///< URL of the last hop
  /// Certificate of the last hop, even if its verification failed.
  std::optional<checks::certificate> certificate{};

  /// Returns the first field of that name (lower case), or null.
  std::string const* field(std::string_view name) const;
};

/// Immutable.
struct http_client_settings {
  std::string user_agent = "svcd";
  work_scheduler* shares = nullptr;  ///< shares the thread's time with other work; outlives the client; null: no
                                     ///< sharing
};

/// Sends requests to the URLs of users, with libcurl on the worker's event loop. Worker-local: one for each thread
/// and `io_context`, destroyed before both the resolver and the `io_context`. Requests that are open then end as
/// `cancelled` if the loop still runs.
///
/// For each request the client resolves the name itself and gives libcurl only the addresses that the policy
/// allows. The policy checks the address of each socket again before it connects, and the peer's address
/// before the first byte of the request. The client follows redirects one request at a time, with all these
/// checks for each one. It asks the gate about each address; an address that would have to wait is tried
/// after the others. Each connection is new, with a full handshake, and is closed afterwards. The client
/// reads nothing from the environment: no proxy, no `.netrc`, no cookies. A server that cannot be verified
/// gets no request.
class http_client {
 public:
  /// The resolver outlives the client. Throws `std::runtime_error` if libcurl cannot be set up.
  http_client(asio::io_context& io, resolver& names, std::shared_ptr<address_policy const> policy,
              std::shared_ptr<trust_store const> trust, http_client_settings settings = {});
  ~http_client();
  http_client(http_client const&) = delete;
  http_client& operator=(http_client const&) = delete;

  /// Makes the attempt with its redirects. Returns by the deadline, except that a lookup may take somewhat longer
  /// (see `resolver::query`). Does not throw because of the network or the request. Can be cancelled through the
  /// cancellation slot of the awaiting coroutine (`asio::cancellation_type::terminal`), which closes the connection.
  task<http_answer> fetch(http_request request, deadline until);

 private:
  class implementation;
  std::shared_ptr<implementation> impl_;
};

}  // namespace svc::egress
