#pragma once

#include "svc/domain/monitoring/checks/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::egress {

/// Why an attempt did not get what it asked for: those of the codes of results that names and connections cause, and
/// `cancelled`, which never leaves the service.
enum class failure : std::uint8_t {
  none,
  // the target is down
  dns_not_found,              ///< no such name, or no record of that type
  dns_failed,                 ///< SERVFAIL and the like, though the servers answer other names
  connect_refused,            ///< nothing listens there
  connect_reset,              ///< the connection was closed or reset before a whole answer had come
  connect_unreachable,        ///< no route, as a router or this machine says
  tls_failed,                 ///< no common version or cipher, an alert, garbage
  certificate_expired,        ///< its validity has ended, or that of one in its chain
  certificate_not_yet_valid,  ///< its validity has not begun
  certificate_untrusted,      ///< not issued by an authority that is trusted here
  certificate_wrong_host,     ///< issued for other names
  certificate_revoked,        ///< so says the issuer
  http_invalid,               ///< what came is not HTTP, or its head is larger than 256 KiB
  body_incomplete,            ///< the body is shorter than announced
  redirect_limit,             ///< more redirects than allowed
  redirect_refused,           ///< a redirect to http from https, to another scheme, or to no URL
  // it did not answer in time
  dns_timeout,         ///< the servers say nothing about this name, though they answer others
  connect_timeout,     ///< no TCP connection
  tls_timeout,         ///< no end of the TLS handshake
  first_byte_timeout,  ///< no byte of an answer
  body_timeout,        ///< no end of the answer
  // no evidence: our own fault, or the operator's wish
  address_blocked,       ///< all its addresses are closed to users; says nothing about which they are
  target_invalid,        ///< what cannot be sent or used as it was given: header fields, certificates, keys
  resolver_unreachable,  ///< the DNS servers answer nobody
  cancelled,             ///< the caller asked for no more, or the worker stops
  internal,              ///< a bug, or memory that is short
};

/// Number of values above, for tables that must be complete.
inline constexpr std::size_t failure_count = static_cast<std::size_t>(failure::internal) + 1;

/// What a result says of it, and whether it speaks against the target (`checks::row_of`). Nothing for `none` and
/// `cancelled`, which are no results.
std::optional<checks::code> result_code_of(failure failure);
/// The contract's spelling; empty for `none`.
std::string_view code_of(failure failure);

/// What a socket's `errno` means; `otherwise` if it says nothing that the list has. `internal` for want of our own
/// descriptors or memory.
failure failure_of_errno(int error, failure otherwise);

}  // namespace svc::egress
