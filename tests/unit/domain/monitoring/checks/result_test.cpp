#include "svc/domain/monitoring/checks/result.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace svc::checks {
namespace {

TEST_CASE("each code has its name, its status and a sentence with advice") {
  std::set<std::string_view> names;
  for (std::uint8_t i = 0; i < code_count; ++i) {
    auto const& row = row_of(static_cast<code>(i));
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(code_named(row.name) == static_cast<code>(i));
    CHECK(row.gives != status::up);
    CHECK(row.message.ends_with('.'));
    CHECK(row.message.size() < longest_message);
  }
  CHECK_FALSE(code_named("no_such_code"));
  CHECK(row_of(static_cast<code>(code_count)).which == code::internal);
}

// Stored in packed hours: a number that changes would turn old results into others.
TEST_CASE("the numbers of codes and statuses never change") {
  struct {
    code which;
    int number;
  } const cases[] = {
      {code::dns_not_found, 0}, {code::status_unexpected, 14}, {code::ran_too_long, 25}, {code::dns_timeout, 26},
      {code::test_timeout, 32}, {code::address_blocked, 33},   {code::internal, 42},
  };
  for (auto const& c : cases) CHECK(static_cast<int>(c.which) == c.number);
  CHECK(static_cast<int>(status::error) == 3);
}

TEST_CASE("the message about the target in a result") {
  CHECK(conclusion_of(status::up) == conclusion::good);
  CHECK(conclusion_of(status::down) == conclusion::bad);
  CHECK(conclusion_of(status::timeout) == conclusion::bad);
  CHECK(conclusion_of(status::error) == conclusion::none);
  CHECK(row_of(code::first_byte_timeout).gives == status::timeout);
  CHECK(row_of(code::resolver_unreachable).gives == status::error);
}

TEST_CASE("days until a certificate expires are rounded down") {
  constexpr std::int64_t day = 86'400'000'000;
  certificate c;
  c.valid_to = {10 * day};
  CHECK(c.days_left({0}) == 10);
  CHECK(c.days_left({1}) == 9);
  CHECK(c.days_left({10 * day}) == 0);
  CHECK(c.days_left({10 * day + 1}) == -1);
  CHECK(c.days_left({11 * day}) == -1);
}

result_of_check all_known() {
  result_of_check out;
  out.ended = status::down;
  out.known.status_code = 503;
  out.known.error = failure(code::status_unexpected);
  out.known.phases = timings{.dns_ms = 1, .first_byte_ms = 20};
  out.known.ip_address = "192.0.2.1";
  out.known.http_version = "2";
  out.known.redirects = 1;
  out.known.body_bytes = 12;
  out.known.truncated = true;
  out.known.assertion = failed_assertion{3, "nothing"};
  out.known.tls = certificate{"CN=issuer", "CN=subject", {0}, {1'000'000}, "ab"};
  out.known.response_headers = {{"Server", "x"}};
  out.known.body_snippet = "busy";
  return out;
}

TEST_CASE("details as they are stored") {
  auto result = all_known();
  CHECK(details_json(result) ==
        R"({"statusCode":503,"timings":{"dnsMs":1,"firstByteMs":20},)"
        R"("error":{"code":"status_unexpected","message":"The status code is none of those expected; )"
        R"(see expectedStatusCodes."},"ipAddress":"192.0.2.1","httpVersion":"2","redirects":1,"bodyBytes":12,)"
        R"("truncated":true,"failedAssertion":{"index":3,"actual":"nothing"},)"
        R"("sslCertificate":{"issuer":"CN=issuer","subject":"CN=subject","validFrom":"1970-01-01T00:00:00.000Z",)"
        R"("validTo":"1970-01-01T00:00:01.000Z","fingerprint":"ab"},)"
        R"("responseHeaders":[{"name":"Server","value":"x"}],"responseBodySnippet":"busy"})");
  SUBCASE("a plain up keeps code and timings") {
    result.ended = status::up;
    CHECK(details_json(result) == R"({"statusCode":503,"timings":{"dnsMs":1,"firstByteMs":20}})");
  }
  SUBCASE("a degraded one keeps all") {
    auto const down = details_json(result);
    result.ended = status::up;
    result.degraded = true;
    CHECK(details_json(result) == down);
  }
}

TEST_CASE("details of the other types") {
  result_of_check result;
  result.known.phases = timings{.dns_ms = 2};
  result.known.proof = "no_icmp_error";
  CHECK(details_json(result) == R"({"timings":{"dnsMs":2},"proof":"no_icmp_error"})");
  result.ended = status::down;
  result.known.proof = {};
  result.known.ping = ping_facts{3, 2, 0.5, 1.25};
  result.known.dns = dns_facts{"NOERROR", {"192.0.2.1", "192.0.2.2"}};
  CHECK(details_json(result) ==
        R"({"timings":{"dnsMs":2},"ping":{"sent":3,"received":2,"lossPercent":34,"minMs":5E-1,"maxMs":1.25E0},)"
        R"("dns":{"rcode":"NOERROR","answers":["192.0.2.1","192.0.2.2"]}})");
  result.known.dns->answers = {std::string(600, 'a'), std::string(600, 'b'), "c"};
  auto const text = details_json(result);
  CHECK(text.find(std::string(600, 'a')) != std::string::npos);
  CHECK(text.find("\"" + std::string(longest_answers - 600, 'b') + "\"") != std::string::npos);
  CHECK(text.find("\"c\"") == std::string::npos);
}

TEST_CASE("lost echo requests, of 100") {
  CHECK(ping_facts{3, 3}.loss_percent() == 0);
  CHECK(ping_facts{3, 2}.loss_percent() == 34);
  CHECK(ping_facts{10, 1}.loss_percent() == 90);
  CHECK(ping_facts{3, 0}.loss_percent() == 100);
  CHECK(ping_facts{}.loss_percent() == 0);
}

TEST_CASE("details are bounded, valid UTF-8 and without U+0000 whatever the target sent") {
  auto result = all_known();
  result.known.body_snippet = std::string("a\0b\xff", 4);
  CHECK(details_json(result).find("\"responseBodySnippet\":\"a\xef\xbf\xbd"
                                  "b\xef\xbf\xbd\"") != std::string::npos);
  // Each of these needs six bytes as JSON.
  std::string const wild(longest_details, '\x01');
  result.known.body_snippet = wild;
  auto const without_body = details_json(result);
  CHECK(without_body.size() <= longest_details);
  CHECK(without_body.find("responseBodySnippet") != std::string::npos);  // 6 KiB
  result.known.response_headers = {{"h", std::string(longest_headers - 1, 'x')}};
  CHECK(details_json(result).size() <= longest_details);
  CHECK(details_json(result).find("responseBodySnippet") == std::string::npos);
  CHECK(details_json(result).find("responseHeaders") != std::string::npos);
  result.known.response_headers = {{"h", wild}};
  result.known.error->message = wild;
  result.known.assertion->actual = wild;
  result.known.tls->issuer = result.known.tls->subject = wild;
  result.known.dns = dns_facts{"NOERROR", {wild, wild}};
  auto const least = details_json(result);
  CHECK(least.size() <= longest_details);
  CHECK(least.find("\"failedAssertion\"") != std::string::npos);
}

}  // namespace
}  // namespace svc::checks
