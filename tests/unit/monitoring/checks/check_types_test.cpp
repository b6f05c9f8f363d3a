#include "monitoring/checks/check_types.hpp"
#include "svc/http/json.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace svc::checks {
namespace {

using namespace std::chrono_literals;

/// Reads a configuration, which fails the test if it is refused.
check_config read_type(std::string_view type, std::string_view target, std::string_view config) {
  auto const json = http::parse_json(config).value();
  auto read = parse_check(
      {.type = check_type_named(type), .target = target, .interval = 600s, .config = &json.as_object()}, nullptr);
  REQUIRE(read.has_value());
  return std::move(*read);
}

}  // namespace

TEST_CASE("each type is found by its name and has the index of its row") {
  for (std::size_t i = 0; i < check_types.size(); ++i) {
    CAPTURE(check_types[i].name);
    CHECK(check_type_named(check_types[i].name) == &check_types[i]);
    CHECK(index_of(check_types[i]) == i);
    CHECK(check_types[i].needs_icmp == (check_types[i].name == "ping_host"));
  }
  for (auto const* name : {"", "heartbeat", "HTTP_REQUEST", "dns ", "ping"}) CHECK(check_type_named(name) == nullptr);
}

TEST_CASE("each type names its variables, its own secret and the regular expressions that it holds") {
  struct {
    std::string type, target, config;
    std::vector<std::string> variables{};
    std::string secret{};
    bool pattern = false;
    bool warns = false;
  } const cases[] = {
      {.type = "http_request",
       .target = "https://{{HOST}}.test/",
       .config = R"({"body":"{{BODY}}","headers":{"X-Key":"{{KEY}}"},"auth":{"type":"bearer","token":"{{TOKEN}}"},
                     "tls":{"serverName":"{{NAME}}","ca":"{{CA}}","clientCertificate":"{{CERT}}",
                            "clientKey":"{{CERT_KEY}}"}})",
       .variables = {"BODY", "CA", "CERT", "CERT_KEY", "HOST", "KEY", "NAME", "TOKEN"},
       .warns = true},
      {.type = "http_request",
       .target = "http://a.test/",
       .config = R"({"auth":{"type":"basic","username":"a","password":"b"}})",
       .secret = "/config/auth/password"},
      {.type = "website",
       .target = "http://a.test/",
       .config = R"({"headers":{"X-Api-Key":"b"},
                     "assertions":[{"source":"body","comparison":"matches","expected":"a+"}]})",
       .secret = "/config/headers/X-Api-Key",
       .pattern = true},
      {.type = "ping_host", .target = "{{HOST}}", .config = "{}", .variables = {"HOST"}},
      {.type = "port_check", .target = "a.test", .config = R"({"port":1,"expect":"a+"})", .pattern = true},
      {.type = "dns",
       .target = "a.test",
       .config = R"({"recordType":"A",
                     "assertions":[{"source":"dnsAnswer","comparison":"matches","expected":"a+"}]})",
       .pattern = true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.config);
    auto const config = read_type(c.type, c.target, c.config);
    CHECK(config.type->name == c.type);
    CHECK(config.variables() == c.variables);
    CHECK(config.settings->secret_member().value_or("") == c.secret);
    CHECK((config.patterns().size > 0) == c.pattern);
    CHECK((config.patterns().bytes > 0) == c.pattern);
    CHECK(config.settings->warning_days().empty() != c.warns);
  }
}

}  // namespace svc::checks
