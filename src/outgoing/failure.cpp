#include "svc/outgoing/failure.hpp"

namespace svc::outgoing {

std::string_view code_of(failure why) {
  switch (why) {
    case failure::none:
      return {};
    case failure::dns_not_found:
      return "dns_not_found";
    case failure::dns_failed:
      return "dns_failed";
    case failure::connect_refused:
      return "connect_refused";
    case failure::connect_reset:
      return "connect_reset";
    case failure::connect_unreachable:
      return "connect_unreachable";
    case failure::tls_failed:
      return "tls_failed";
    case failure::certificate_expired:
      return "certificate_expired";
    case failure::certificate_not_yet_valid:
      return "certificate_not_yet_valid";
    case failure::certificate_untrusted:
      return "certificate_untrusted";
    case failure::certificate_wrong_host:
      return "certificate_wrong_host";
    case failure::certificate_revoked:
      return "certificate_revoked";
    case failure::http_invalid:
      return "http_invalid";
    case failure::body_incomplete:
      return "body_incomplete";
    case failure::redirect_limit:
      return "redirect_limit";
    case failure::redirect_refused:
      return "redirect_refused";
    case failure::dns_timeout:
      return "dns_timeout";
    case failure::connect_timeout:
      return "connect_timeout";
    case failure::tls_timeout:
      return "tls_timeout";
    case failure::first_byte_timeout:
      return "first_byte_timeout";
    case failure::body_timeout:
      return "body_timeout";
    case failure::address_blocked:
      return "address_blocked";
    case failure::target_invalid:
      return "target_invalid";
    case failure::resolver_unreachable:
      return "resolver_unreachable";
    case failure::cancelled:
      return "cancelled";
    case failure::internal:
      return "internal";
  }
  return "internal";
}

evidence evidence_of(failure why) {
  if (why == failure::none) return evidence::up;
  if (why < failure::dns_timeout) return evidence::down;
  return why < failure::address_blocked ? evidence::timeout : evidence::none;
}

}  // namespace svc::outgoing
