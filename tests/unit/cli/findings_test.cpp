#include "cli/commands/findings.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <doctest/doctest.h>

using namespace svc::cli;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t server_second = 1'800'000'000;

svc::timestamp at_second(std::int64_t offset) {
  return {(server_second + offset) * 1'000'000};
}

}  // namespace

TEST_CASE("clocks may differ by half a minute") {
  struct {
    std::int64_t before, after;  // seconds of difference from the server's
    char const* detail;
  } const rows[] = {
      {0, 0, "agrees with the service's"},
      {31, 31, "agrees with the service's"},
      {32, 32, "is 31 s ahead of the service's"},
      {-30, -30, "agrees with the service's"},
      {-31, -31, "is 31 s behind the service's"},
      {-100, 100, "agrees with the service's"},
      {-100, -40, "is 40 s behind the service's"},
      {40, 100, "is 39 s ahead of the service's"},
      {86400 * 365, 86400 * 365, "is 31535999 s ahead of the service's"},
  };
  for (auto const& row : rows) {
    auto const got = clock_finding(server_second, at_second(row.before), at_second(row.after));
    CHECK(got.detail == row.detail);
    CHECK((got.status == finding_status::ok) == got.hint.empty());
  }
  CHECK(clock_finding(std::nullopt, at_second(0), at_second(0)).status == finding_status::warning);
}

TEST_CASE("the service's health, and anything that is not it") {
  auto const got = [](char const* text) { return service_finding(boost::json::parse(text), "1.0"); };
  auto const good = got(R"({"status": "ok", "version": "2.0", "dependencies": {"postgres": "up", "redis": "up"}})");
  CHECK(good.status == finding_status::ok);
  CHECK(good.detail == "version 2.0, this client is 1.0");
  auto const bad = got(R"({"status": "degraded", "version": "2.0", "dependencies": {"postgres": "up"}})");
  CHECK(bad.status == finding_status::warning);
  CHECK(bad.detail == "is degraded (postgres up, redis ?)");
  auto const lost =
      got(R"({"status": "degraded", "version": "2.0", "dependencies": {"postgres": "down", "redis": "up"}})");
  CHECK(lost.status == finding_status::failed);
  CHECK(lost.exit == exit_code::unreachable);
  CHECK(lost.detail == "is degraded (postgres down, redis up)");
  CHECK(lost.hint.starts_with("No change is possible until PostgreSQL is back"));
  auto const slower =
      got(R"({"status": "degraded", "version": "2.0", "dependencies": {"postgres": "up", "redis": "down"}})");
  CHECK(slower.status == finding_status::warning);
  CHECK(got("[]").status == finding_status::warning);
}

TEST_CASE("expiry and place of a token are findings") {
  token_facts facts{.organization = "acme", .project = "shop"};
  CHECK(expiry_finding(facts, at_second(0)).status == finding_status::ok);
  facts.expires = at_second(86400 * 15);
  CHECK(expiry_finding(facts, at_second(0)).status == finding_status::ok);
  CHECK(expiry_finding(facts, at_second(86400 * 2)).status == finding_status::warning);
  settings settings;
  CHECK(locate_finding(settings, facts).status == finding_status::ok);
  settings.project = found_value{"web", "SERVICE_PROJECT"};
  auto const wrong = locate_finding(settings, facts);
  CHECK(wrong.status == finding_status::failed);
  CHECK(wrong.exit == exit_code::usage);
}

TEST_CASE("the exit code is that of the first failure") {
  finding const ok{"a"}, warning{"b", finding_status::warning};
  finding const network{"c", finding_status::failed, "", "", exit_code::unreachable};
  finding const denied{"d", finding_status::failed, "", "", exit_code::not_allowed};
  CHECK(exit_of({}) == exit_code::ok);
  CHECK(exit_of(std::array{ok, warning}) == exit_code::ok);
  CHECK(exit_of(std::array{ok, network, denied}) == exit_code::unreachable);
  CHECK(exit_of(std::array{denied, network}) == exit_code::not_allowed);
}

TEST_CASE("findings for people and for programs") {
  finding const f{"clock", finding_status::warning, "is \x1b[2Jlate", "Set it."};
  CHECK(boost::json::serialize(json_of({&f, 1})) ==
        "{\"checks\":[{\"name\":\"clock\",\"status\":\"warning\",\"detail\":\"is \\u001b[2Jlate\",\"hint\":\"Set "
        "it.\"}]}");
  CHECK(text_of(f, false) == "warning  clock        is \\x1b[2Jlate\n                      -> Set it.\n");
  finding const two_lines{"clock", finding_status::failed, "fails", "Try again.\n     Request id: 1"};
  CHECK(text_of(two_lines, false) ==
        "failed   clock        fails\n                      -> Try again.\n                         Request id: 1\n");
  CHECK(text_of({"clock"}, true) == "\x1b[32mok       \x1b[0mclock        \n");
}
