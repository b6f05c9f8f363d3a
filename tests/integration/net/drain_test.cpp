#include "integration/net/client.hpp"
#include "integration/net/server.hpp"
#include "support/free_port.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

using namespace std::chrono_literals;
using svc::test::client;
using svc::test::server;

namespace {

constexpr std::string_view plain_get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view gated_get = "GET /gate HTTP/1.1\r\nHost: x\r\n\r\n";

}  // namespace

TEST_CASE("a drain closes idle connections at once, busy ones after their answer, new ones after their first one") {
  server running({.address = "127.0.0.1:" + std::to_string(svc::test::free_port())});
  client idle(running.address()), fresh(running.address()), silent(running.address()), busy(running.address());
  CHECK(idle.ask(plain_get).status == 200);
  REQUIRE(busy.send(gated_get));
  REQUIRE(running.eventually([&] { return running.service().at_gate == 1 && running.load() == 4; }));

  running.stop_listening();
  running.drain();
  CHECK(idle.ended());
  CHECK_FALSE(idle.abruptly());
  // Whoever connected before the drain could not know of it.
  auto const first = fresh.ask(plain_get);
  CHECK(first.status == 200);
  CHECK(first.has("Connection: close"));
  CHECK(fresh.ended());
  CHECK(silent.ended());
  CHECK_FALSE(silent.abruptly());
  CHECK_FALSE(busy.readable_within(50ms));
  CHECK_THROWS_AS(client(running.address()), std::runtime_error);

  running.on_worker([&] { running.service().open_gate(); });
  auto const got = busy.receive();
  REQUIRE(got);
  CHECK(got->body == "GET /gate ");
  CHECK(got->has("Connection: close"));
  CHECK(busy.ended());
  CHECK(running.emptied());
}

TEST_CASE("pipelined requests after the last answer of a drain are not served") {
  server running;
  client busy(running.address());
  REQUIRE(busy.send(std::string(gated_get) + std::string(plain_get)));
  REQUIRE(running.eventually([&] { return running.service().at_gate == 1; }));
  running.drain();
  running.on_worker([&] { running.service().open_gate(); });
  CHECK(busy.receive()->has("Connection: close"));
  CHECK(busy.ended());
  CHECK(running.service().served == 1);
}

TEST_CASE("an announced drain lets idle clients ask once more") {
  server running;
  client idle(running.address());
  CHECK_FALSE(idle.ask(plain_get).has("Connection: close"));
  running.announce_drain();
  client late(running.address());
  for (auto* each : {&idle, &late}) {
    CHECK(each->ask(plain_get).has("Connection: close"));
    CHECK(each->ended());
  }
  CHECK(running.emptied());
}

TEST_CASE("close_all and emptied: the deadline is kept") {
  server running;
  client user(running.address());
  CHECK(user.ask(plain_get).status == 200);
  CHECK_FALSE(running.emptied(20ms));
}

TEST_CASE("clients that reset at any point leave no connections") {
  struct row {
    char const* name;
    bool handshake;
    std::string bytes;
  };
  server running;
  for (auto const& each : {
           row{"before the handshake", false, ""},
           row{"within the handshake", false, std::string("\x16\x03\x01\x02", 4)},
           row{"idle", true, ""},
           row{"within the head", true, "GET / HT"},
           row{"within a body", true, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"},
           row{"within a chunked body", true,
               "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"},
           row{"waiting for a large answer", true, "GET /big/20000000 HTTP/1.1\r\nHost: x\r\n\r\n"},
           row{"with pipelined requests", true, std::string(plain_get) + std::string(plain_get)},
       }) {
    CAPTURE(each.name);
    for (auto const reset : {true, false}) {
      CAPTURE(reset);
      {
        client user(running.address(), each.handshake ? client::security::tls13 : client::security::tls_unstarted);
        REQUIRE(user.send(each.bytes));
        if (reset) user.reset_on_close();
      }
      CHECK(running.emptied());
    }
  }
  CHECK(client(running.address()).ask(plain_get).status == 200);
}

TEST_CASE("a client that half-closes still gets its answer") {
  for (auto const tls : {true, false}) {
    server running({.tls = tls});
    client user(running.address(), tls ? client::security::tls13 : client::security::plain);
    REQUIRE(user.send(plain_get));
    user.finish_sending();
    auto const got = user.receive();
    REQUIRE(got);
    CHECK(got->body == "GET / ");
    CHECK(user.ended());
  }
}
