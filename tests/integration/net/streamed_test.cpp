// Tests bodies that are sent over time.
#include "integration/net/client.hpp"
#include "integration/net/server.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace std::chrono_literals;
using svc::test::client;
using svc::test::server;

namespace {

/// Returns everything that the server sends until it ends the connection.
std::string all_of(client& client) {
  auto const got = client.receive(true);
  REQUIRE(got);
  std::string out = got->head;
  while (auto const more = client.some()) out += *more;
  return out;
}

std::string body_of(std::string const& text) {
  return text.substr(text.find("\r\n\r\n") + 4);
}

constexpr std::string_view waiting = "GET /count/0 HTTP/1.1\r\nHost: x\r\n\r\n";

}  // namespace

TEST_CASE("a streamed body is chunked, and its connection closes after it") {
  for (auto const security : {client::security::plain, client::security::tls13}) {
    server running({.tls = security != client::security::plain});
    client client(running.address(), security);
    // Pipelined requests after it are not served.
    REQUIRE(client.send("GET /count/3 HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    auto const text = all_of(client);
    CHECK(text.find("\r\nTransfer-Encoding: chunked\r\n") != text.npos);
    CHECK(text.find("\r\nConnection: close\r\n") != text.npos);
    CHECK(text.find("Content-Length") == text.npos);
    CHECK(body_of(text) == "2\r\n1\n\r\n2\r\n2\n\r\n2\r\n3\n\r\n0\r\n\r\n");
    CHECK_FALSE(client.abruptly());
    CHECK(running.service().served == 1);
    CHECK(running.service().stopped == 1);
  }
}

TEST_CASE("HTTP/1.0 gets the bytes as they are, HEAD gets none") {
  server running;
  client old(running.address());
  REQUIRE(old.send("GET /count/3 HTTP/1.0\r\n\r\n"));
  auto const text = all_of(old);
  CHECK(text.find("chunked") == text.npos);
  CHECK(body_of(text) == "1\n2\n3\n");
  client head(running.address());
  REQUIRE(head.send("HEAD /count/3 HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(body_of(all_of(head)).empty());
  CHECK(running.service().stopped == 1);
}

TEST_CASE("a client that disappears, or talks without end, ends its stream") {
  server running;
  SUBCASE("FIN") {
    client entry(running.address());
    REQUIRE(entry.send(waiting));
    REQUIRE(entry.receive(true));
  }
  SUBCASE("RST") {
    client entry(running.address());
    REQUIRE(entry.send(waiting));
    REQUIRE(entry.receive(true));
    entry.reset_on_close();
  }
  SUBCASE("noise") {
    client entry(running.address());
    REQUIRE(entry.send(waiting));
    REQUIRE(entry.receive(true));
    std::string const noise(10'000, 'x');
    for (int i = 0; i < 20 && entry.send(noise); ++i) {
    }
    CHECK(entry.ended());
  }
  CHECK(running.eventually([&] { return running.service().stopped == 1; }));
  CHECK(running.emptied());
}

TEST_CASE(
    "a client that stops reading is closed without progress, and costs only the bytes that the socket refused") {
  svc::net::session_settings settings;
  settings.write = 300ms;
  server running({.settings = settings});
  client client(running.address());
  REQUIRE(client.send("GET /count/2000000000 HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(running.eventually([&] { return running.service().stopped == 1; }));
}

TEST_CASE("a drain lets a stream send its last events") {
  server running;
  client client(running.address());
  REQUIRE(client.send(waiting));
  REQUIRE(client.receive(true));
  running.drain();
  auto const last = client.some();
  REQUIRE(last);
  CHECK(last->starts_with("7\r\ndrained\r\n"));
  while (client.some()) {
  }
  CHECK_FALSE(client.abruptly());
  CHECK(running.emptied());
}
