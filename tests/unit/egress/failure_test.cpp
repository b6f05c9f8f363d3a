#include "svc/egress/failure.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

using namespace svc;
using namespace svc::egress;

TEST_CASE("each failure has its own code, and describes the target as in the contract's table") {
  std::set<std::string_view> codes;
  for (std::size_t i = 0; i < failure_count; ++i) codes.insert(code_of(static_cast<failure>(i)));
  CHECK(codes.size() == failure_count);
  CHECK_FALSE(result_code_of(failure::none));
  CHECK_FALSE(result_code_of(failure::cancelled));
  struct {
    failure first, last;
    checks::status gives;
  } const ranges[] = {{failure::dns_not_found, failure::redirect_refused, checks::status::down},
                      {failure::dns_timeout, failure::body_timeout, checks::status::timeout},
                      {failure::address_blocked, failure::resolver_unreachable, checks::status::error},
                      {failure::internal, failure::internal, checks::status::error}};
  for (auto const& range : ranges) {
    for (auto i = static_cast<std::size_t>(range.first); i <= static_cast<std::size_t>(range.last); ++i) {
      auto const error = static_cast<failure>(i);
      CAPTURE(code_of(error));
      REQUIRE(result_code_of(error));
      CHECK(checks::row_of(*result_code_of(error)).gives == range.gives);
    }
  }
}

TEST_CASE("a failure is spelled as it is named") {
  CHECK(code_of(failure::none) == "");
  CHECK(code_of(failure::dns_not_found) == "dns_not_found");
  CHECK(code_of(failure::redirect_refused) == "redirect_refused");
  CHECK(code_of(failure::dns_timeout) == "dns_timeout");
  CHECK(code_of(failure::body_timeout) == "body_timeout");
  CHECK(code_of(failure::address_blocked) == "address_blocked");
  CHECK(code_of(failure::resolver_unreachable) == "resolver_unreachable");
  CHECK(code_of(failure::cancelled) == "cancelled");
  CHECK(code_of(failure::internal) == "internal");
}
