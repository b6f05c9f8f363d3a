// Only a part of a TLS record has arrived: in each of its waits the session then waits for the socket.
#include "integration/net/client.hpp"
#include "integration/net/server.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>

using namespace std::chrono_literals;
using svc::milliseconds;
using svc::steady;
using svc::test::client;
using svc::test::server;

namespace {

using lock_step = void (*)(server& running, client& client);

void nothing(server&, client&) {}

void stream_head(server&, client& client) {
  REQUIRE(client.receive(true));
}

void at_gate(server& running, client&) {
  REQUIRE(running.eventually([&] { return running.service().at_gate == 1; }));
}

void answering(server& running, client&) {
  REQUIRE(running.eventually([&] { return running.service().served == 1; }));
}

/// One of the points where a session may be when a part of a record arrives.
struct wait {
  char const* name;
  std::string before;    ///< sent completely
  lock_step until;       ///< then the session waits
  std::string record;    ///< arrives in two parts
  std::string expected;  ///< body of the last answer; empty: there is none
};

std::string const next = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n";

std::vector<wait> const waits{
    {"first request", "", nothing, next, "GET /next "},
    {"next request", "GET /unread HTTP/1.1\r\nHost: x\r\n\r\n", stream_head, next, "GET /next "},
    {"head", "GET /next HT", nothing, "TP/1.1\r\nHost: x\r\n\r\n", "GET /next "},
    {"body", "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12", answering, "3456789", "POST /b 123456789"},
    {"chunked body", "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n12", answering,
     "\r\n0\r\n\r\n", "POST /b 12"},
    {"unread body", "POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12", stream_head, "3456789" + next,
     "GET /next "},
    {"long poll", "GET /gate HTTP/1.1\r\nHost: x\r\n\r\n", at_gate, next, "GET /next "},
    {"stream", "GET /count/0 HTTP/1.1\r\nHost: x\r\n\r\n", stream_head, next, ""},
    {"answer", "GET /big/20000000 HTTP/1.1\r\nHost: x\r\n\r\n", answering, next, "GET /next "},
    {"last answer", "GET /close HTTP/1.1\r\nHost: x\r\n\r\n", stream_head, next, ""},
};

/// Another client is served at once, and the worker has nothing to do meanwhile.
void check_others(server& running) {
  auto const start = steady::now();
  client other(running.address());
  CHECK(other.ask("GET /other HTTP/1.1\r\nHost: x\r\n\r\n").body == "GET /other ");
  CHECK(steady::now() - start < 2s);
  auto const used = running.cpu_time();
  CHECK_FALSE(other.readable_within(60ms));
  CHECK(running.cpu_time() - used < 30ms);
}

void play(wait const& wait, client::security security, std::size_t bytes) {
  server running;
  client client(running.address(), security);
  REQUIRE(client.send(wait.before));
  wait.until(running, client);
  auto const record = client.sealed(wait.record);
  auto const part = bytes == 0 ? record.size() - 1 : bytes;
  REQUIRE(client.send_raw(std::string_view(record).substr(0, part)));
  check_others(running);
  // Nothing is lost by the waiting.
  client.send_raw(std::string_view(record).substr(part));
  running.on_worker([&] { running.service().open_gate(); });
  if (wait.expected.empty()) return;
  auto got = client.receive();
  while (got && got->body != wait.expected) got = client.receive();
  CHECK(got);
}

}  // namespace

TEST_CASE("a part of a record holds up nobody, whatever its session waits for") {
  for (auto const security : {client::security::tls13, client::security::tls12}) {
    for (auto const& each : waits) {
      // The last entry: all but one byte.
      for (std::size_t const bytes : {1U, 4U, 9U, 0U}) {
        CAPTURE(each.name);
        CAPTURE(bytes);
        CAPTURE(static_cast<int>(security));
        play(each, security, bytes);
      }
    }
  }
}

TEST_CASE("a session whose client started a record has the timeout of a head, not of an idle connection") {
  svc::net::session_settings settings;
  settings.head = 200ms;
  server running({.settings = settings});
  client client(running.address());
  REQUIRE(client.send_raw(client.sealed(next).substr(0, 1)));
  CHECK(client.ended());
  CHECK(running.emptied());
}

TEST_CASE("a client that never stops sending gives others their turn, and outlives no deadline") {
  struct {
    char const* name;
    std::string first, flood;
  } const table[] = {
      {"requests", "", "GET /none HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"after the last answer", "GET /close HTTP/1.1\r\nHost: x\r\n\r\n", std::string(4096, 'x')},
  };
  for (auto const& each : table) {
    CAPTURE(each.name);
    server running({.tls = false});
    client entry(running.address(), client::security::plain);
    std::string many;
    while (many.size() < 1'000'000) many += each.flood;
    REQUIRE(entry.send(each.first));
    std::atomic<bool> enough = false;
    std::thread sender([&] {
      while (!enough && entry.send(many)) {
      }
      enough = true;
    });
    std::thread reader([&] {
      while (!enough && entry.some()) {
      }
    });
    REQUIRE(running.eventually([&] { return running.service().served >= 1; }));
    for (int i = 0; i < 20; ++i) {
      client other(running.address(), client::security::plain);
      CHECK(other.ask("GET /other HTTP/1.1\r\nHost: x\r\n\r\n").body == "GET /other ");
    }
    enough = true;
    running.on_worker([&] { running.service().open_gate(); });
    running.drain();
    entry.finish_sending();
    sender.join();
    reader.join();
  }
}
