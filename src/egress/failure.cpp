#include "svc/egress/failure.hpp"

#include <array>
#include <cerrno>

namespace svc::egress {

namespace {

/// In the order of `failure`.
constexpr std::array<std::optional<checks::code>, failure_count> codes{
    std::nullopt,
    checks::code::dns_not_found,
    checks::code::dns_failed,
    checks::code::connect_refused,
    checks::code::connect_reset,
    checks::code::connect_unreachable,
    checks::code::tls_failed,
    checks::code::certificate_expired,
    checks::code::certificate_not_yet_valid,
    checks::code::certificate_untrusted,
    checks::code::certificate_wrong_host,
    checks::code::certificate_revoked,
    checks::code::http_invalid,
    checks::code::body_incomplete,
    checks::code::redirect_limit,
    checks::code::redirect_refused,
    checks::code::dns_timeout,
    checks::code::connect_timeout,
    checks::code::tls_timeout,
    checks::code::first_byte_timeout,
    checks::code::body_timeout,
    checks::code::address_blocked,
    checks::code::target_invalid,
    checks::code::resolver_unreachable,
    std::nullopt,
    checks::code::internal,
};

}  // namespace

std::optional<checks::code> result_code_of(failure failure) {
  return codes[static_cast<std::size_t>(failure)];
}

std::string_view code_of(failure failure) {
  if (auto const code = result_code_of(failure)) return checks::row_of(*code).name;
  return failure == failure::cancelled ? "cancelled" : "";
}

failure failure_of_errno(int error, failure otherwise) {
  switch (error) {
    case ECONNREFUSED:
      return failure::connect_refused;
    case ECONNRESET:
    case EPIPE:
    case ECONNABORTED:
      return failure::connect_reset;
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EHOSTDOWN:
    case ENETDOWN:
    case EADDRNOTAVAIL:
    case EACCES:
    case EPERM:
      return failure::connect_unreachable;
    case ETIMEDOUT:
      return failure::connect_timeout;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return failure::internal;
    default:
      return otherwise;
  }
}

}  // namespace svc::egress
