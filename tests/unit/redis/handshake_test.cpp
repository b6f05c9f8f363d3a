#include "redis/handshake.hpp"

#include "svc/redis/primary_locator.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::redis;

namespace {

script const first("first", "return 1");
script const second("second", "return 2");

std::string joined(std::vector<handshake_step> const& steps) {
  std::string out;
  for (auto const& step : steps) {
    for (auto word : step.arguments) out.append(word).append(" ");
    out.back() = '|';
  }
  return out;
}

/// The beginning of a reply to ROLE.
outcome role(std::string which) {
  return {delivery::answered,
          {.kind = reply::type::array, .elements = {{.kind = reply::type::bulk, .text = std::move(which)}}}};
}

outcome answered(reply::type kind, std::string text) {
  return {delivery::answered, {.kind = kind, .text = std::move(text)}};
}

}  // namespace

TEST_CASE("a handshake sends what the settings require") {
  struct {
    char const* name;
    char const* username;
    char const* password;
    int database;
    std::vector<script const*> scripts;
    char const* expected;
  } const cases[] = {
      {"plain", "", "", 0, {}, "CLIENT SETNAME svcd|PING|"},
      {"password", "", "pw", 0, {}, "AUTH pw|CLIENT SETNAME svcd|PING|"},
      {"user", "u", "pw", 0, {}, "AUTH u pw|CLIENT SETNAME svcd|PING|"},
      {"user without password", "u", "", 0, {}, "CLIENT SETNAME svcd|PING|"},
      {"database", "", "", 3, {}, "SELECT 3|CLIENT SETNAME svcd|PING|"},
      {"all",
       "u",
       "pw",
       3,
       {&first, &second},
       "AUTH u pw|SELECT 3|CLIENT SETNAME svcd|SCRIPT LOAD return 1|SCRIPT LOAD return 2|"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    settings where;
    where.username = c.username;
    where.password = secret_string(c.password);
    where.database = c.database;
    CHECK(joined(handshake_steps(where, std::to_string(c.database), c.scripts)) == c.expected);
  }
}

TEST_CASE("a server that a sentinel has named must report that it is a primary") {
  asio::io_context io;
  settings where;
  where.through = std::make_shared<primary_locator>(io, sentinel_settings{.sentinels = {{"127.0.0.1", "1"}}}, where);
  CHECK(joined(handshake_steps(where, "0", {})) == "CLIENT SETNAME svcd|PING|ROLE|");
}

TEST_CASE("a handshake fails when the connection would be unusable") {
  handshake_step const auth{"AUTH", {"AUTH", "s3cret"}};
  handshake_step const name{"CLIENT SETNAME", {"CLIENT", "SETNAME", "x"}, {}, true};
  handshake_step const load{"SCRIPT LOAD", {"SCRIPT", "LOAD", first.body()}, first.sha()};
  struct {
    char const* title;
    handshake_step const& step;
    outcome got;
    std::string expected;
  } const cases[] = {
      {"good", auth, answered(reply::type::status, "OK"), ""},
      {"error", auth, answered(reply::type::error, "WRONGPASS x"), "AUTH: WRONGPASS x"},
      {"late", auth, {delivery::missed, {}}, "AUTH: no answer in time"},
      {"not sent", auth, {delivery::unsent, {}}, "AUTH: no answer in time"},
      {"tolerated error", name, answered(reply::type::error, "NOPERM x"), ""},
      {"tolerated, but late", name, {delivery::missed, {}}, "CLIENT SETNAME: no answer in time"},
      {"its digest", load, answered(reply::type::bulk, std::string(first.sha())), ""},
      {"another digest", load, answered(reply::type::bulk, std::string(second.sha())),
       "SCRIPT LOAD: unexpected reply"},
      {"a primary", role_step, role("master"), ""},
      {"a replica", role_step, role("slave"), "the server is a replica"},
      {"a sentinel", role_step, role("sentinel"), "the server is a replica"},
      {"no array", role_step, answered(reply::type::status, "OK"), "the server is a replica"},
      {"no right to ask", role_step, answered(reply::type::error, "NOPERM x"), "ROLE: NOPERM x"},
      {"loading", load, answered(reply::type::error, "LOADING Redis is loading"),
       "SCRIPT LOAD: LOADING Redis is loading"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.title);
    CHECK(handshake_fault({c.step}, {&c.got}, "") == c.expected);
  }
}

TEST_CASE("an error from Redis takes precedence over a missing reply") {
  std::vector<handshake_step> const steps{{"CLIENT SETNAME", {"CLIENT"}, {}, true}, {"PING", {"PING"}, "PONG"}};
  auto const denied = answered(reply::type::error, "NOPERM x");
  auto const pong = answered(reply::type::status, "PONG");
  outcome const missed{delivery::missed, {}};
  struct {
    char const* name;
    std::vector<outcome const*> got;
    char const* end;
    char const* expected;
  } const cases[] = {
      {"both good", {&pong, &pong}, "", ""},
      {"tolerated, then good", {&denied, &pong}, "", ""},
      {"tolerated, then gone", {&denied, &missed}, "read: reset", "CLIENT SETNAME: NOPERM x"},
      {"good, then gone", {&pong, &missed}, "", "PING: no answer in time"},
      {"nothing came", {&missed, &missed}, "", "CLIENT SETNAME: no answer in time"},
      {"the link ended", {&pong, &missed}, "read: reset", "read: reset"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(handshake_fault(steps, c.got, c.end) == c.expected);
  }
}
