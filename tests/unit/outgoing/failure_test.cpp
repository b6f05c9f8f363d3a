#include "svc/outgoing/failure.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

using namespace svc::outgoing;

TEST_CASE("each failure has a code of its own, and says of the target what the contract's table says") {
  std::set<std::string_view> codes;
  for (std::size_t i = 0; i < failure_count; ++i) codes.insert(code_of(static_cast<failure>(i)));
  CHECK(codes.size() == failure_count);

  CHECK(evidence_of(failure::none) == evidence::up);
  for (auto const why :
       {failure::dns_not_found, failure::dns_failed, failure::connect_refused, failure::connect_reset,
        failure::connect_unreachable, failure::tls_failed, failure::certificate_expired,
        failure::certificate_not_yet_valid, failure::certificate_untrusted, failure::certificate_wrong_host,
        failure::certificate_revoked, failure::http_invalid, failure::body_incomplete, failure::redirect_limit,
        failure::redirect_refused}) {
    CAPTURE(code_of(why));
    CHECK(evidence_of(why) == evidence::down);
  }
  for (auto const why : {failure::dns_timeout, failure::connect_timeout, failure::tls_timeout,
                         failure::first_byte_timeout, failure::body_timeout}) {
    CAPTURE(code_of(why));
    CHECK(evidence_of(why) == evidence::timeout);
  }
  for (auto const why : {failure::address_blocked, failure::target_invalid, failure::resolver_unreachable,
                         failure::cancelled, failure::internal}) {
    CAPTURE(code_of(why));
    CHECK(evidence_of(why) == evidence::none);
  }
}
