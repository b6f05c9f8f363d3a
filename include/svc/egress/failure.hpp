#pragma once

#include "svc/domain/monitoring/checks/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::egress {

/// The reason why an attempt failed. The values are the result codes that names and connections cause, and
/// `cancelled`, which never leaves the service.
enum class failure : std::uint8_t {
  none,
  // the target is down
  dns_not_found,              ///< no such name, or no record of that type
  dns_failed,                 ///< SERVFAIL and the like, although the servers answer other names
  connect_refused,            ///< no process listens there
  connect_reset,              ///< the connection was closed or reset before the whole answer had arrived
  connect_unreachable,        ///< no route, reported by a router or this machine
  tls_failed,                 ///< no common version or cipher, an alert, garbage
  certificate_expired,        ///< the validity of the certificate, or of another one in its chain, has ended
  certificate_not_yet_valid,  ///< its validity has not started
  certificate_untrusted,      ///< not issued by an authority that is trusted here
  certificate_wrong_host,     ///< issued for other names
  certificate_revoked,        ///< the issuer reports it as revoked
  http_invalid,               ///< the answer is not HTTP, or its head is larger than 256 KiB
  body_incomplete,            ///< the body is shorter than announced
  redirect_limit,             ///< more redirects than allowed
  redirect_refused,           ///< a redirect to http from https, to another scheme, or to no URL
  // it did not answer in time
  dns_timeout,         ///< the servers do not answer for this name, although they answer others
  connect_timeout,     ///< no TCP connection
  tls_timeout,         ///< TLS handshake not finished
  first_byte_timeout,  ///< no byte of an answer received
  body_timeout,        ///< answer not finished
  // inconclusive: the cause is this service or a setting of the operator
  address_blocked,       ///< policy forbids all addresses of the target; does not reveal the addresses
  target_invalid,        ///< a part of the request cannot be sent or used: header fields, certificates, keys
  resolver_unreachable,  ///< the DNS servers answer no query
  cancelled,             ///< the caller cancelled, or the worker stops
  internal,              ///< a bug, or lack of memory
};

/// Number of values of `failure`, for tables that must be complete.
inline constexpr std::size_t failure_count = static_cast<std::size_t>(failure::internal) + 1;

/// Returns the code that a result reports; `checks::row_of` says whether it counts against the target. Returns
/// `std::nullopt` for `none` and `cancelled`, which produce no result.
std::optional<checks::code> result_code_of(failure failure);
/// Returns the contract's spelling; empty for `none`.
std::string_view code_of(failure failure);

/// Translates a socket's `errno`; returns `otherwise` for values that are not in the list. Returns `internal` if this
/// process lacks descriptors or memory.
failure failure_of_errno(int error, failure otherwise);

}  // namespace svc::egress
