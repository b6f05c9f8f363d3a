#include "integration/net/client.hpp"
#include "integration/net/server.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace std::chrono_literals;
using namespace std::string_literals;
using svc::steady;
using svc::test::ask_client;
using svc::test::client;
using svc::test::server;
using svc::test::server_options;
using security = client::security;

namespace {

std::string const version_1 = "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n";
std::string const version_2 =
    "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0f\xc0\0\x02\x08\x0a\0\0\x01\x80\0\x01\xbb\x04\0\0"s;  // with a TLV
std::string const local = "\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"s;
constexpr std::string_view ask_for = "GET /client HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n";

/// Our own address and 10.* are proxies.
server_options behind_proxy(bool tls, bool proxy_protocol = true) {
  server_options out{.tls = tls, .proxy_protocol = proxy_protocol};
  out.rules = {"x-forwarded-for", [](std::string_view a) { return a == "127.0.0.1" || a.starts_with("10."); }};
  return out;
}

}  // namespace

TEST_CASE("the PROXY header names the client, before TLS and before plain requests") {
  for (bool const tls : {true, false}) {
    server running(behind_proxy(tls));
    for (auto const security : {security::tls12, security::tls13, security::plain}) {
      if ((security != security::plain) != tls) continue;
      CHECK(client(running.address(), security, version_1).ask(ask_client).body == "192.0.2.7");
      CHECK(client(running.address(), security, version_2).ask(ask_client).body == "192.0.2.8");
      CHECK(client(running.address(), security, local).ask(ask_client).body == "127.0.0.1");
      CHECK(client(running.address(), security, "PROXY UNKNOWN\r\n").ask(ask_client).body == "127.0.0.1");
    }
  }
}

TEST_CASE("a PROXY header may arrive in any pieces, and with the request after it") {
  server running(behind_proxy(false));
  for (auto const& header : {version_1, version_2}) {
    auto const client_of = header == version_1 ? "192.0.2.7" : "192.0.2.8";
    for (std::size_t split = 0; split <= header.size(); ++split) {
      client user(running.address(), security::plain);
      REQUIRE(user.send(header.substr(0, split)));
      REQUIRE(user.send(header.substr(split) + std::string(ask_client)));
      auto const got = user.receive();
      REQUIRE(got);
      CHECK(got->body == client_of);
    }
    client slow(running.address(), security::plain);
    for (char const byte : header) REQUIRE(slow.send({&byte, 1}));
    CHECK(slow.ask(ask_client).body == client_of);
    CHECK(slow.ask(ask_client).body == client_of);
  }
}

TEST_CASE("the forwarding header counts after a PROXY header only if that names one of our proxies") {
  server running(behind_proxy(false));
  CHECK(client(running.address(), security::plain, version_1).ask(ask_for).body == "192.0.2.7");
  CHECK(client(running.address(), security::plain, "PROXY TCP4 10.0.0.9 10.0.0.1 1 2\r\n").ask(ask_for).body ==
        "203.0.113.9");
  CHECK(client(running.address(), security::plain, local).ask(ask_for).body == "203.0.113.9");
}

TEST_CASE("without the PROXY protocol each request of a trusted connection has its own client") {
  server running(behind_proxy(false, false));
  client proxy(running.address(), security::plain);
  CHECK(proxy.ask(ask_for).body == "203.0.113.9");
  CHECK(proxy.ask(ask_client).body == "127.0.0.1");
  CHECK(proxy.ask("GET /client HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.2.3.4, 192.0.2.1\r\n\r\n").body ==
        "192.0.2.1");
  server_options strangers{.tls = false};
  server other(strangers);
  CHECK(client(other.address(), security::plain).ask(ask_for).body == "127.0.0.1");
}

TEST_CASE("a connection without a PROXY header, with a bad one or from a stranger is closed without an answer") {
  server running(behind_proxy(false));
  for (auto const& bytes : {std::string(ask_client), "PROXY TCP4 192.0.2.7\r\n"s, "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n"s,
                            "\r\n\r\n\0\r\nQUIT\n\x31\x11\0\x0c"s, "\x16\x03\x01\x02\0"s}) {
    CAPTURE(bytes);
    client user(running.address(), security::plain);
    REQUIRE(user.send(bytes));
    CHECK(user.ended());
  }
  server_options strict = behind_proxy(false);
  strict.rules.trusts = [](std::string_view a) { return a == "10.0.0.1"; };
  server strangers(strict);
  client user(strangers.address(), security::plain);
  user.send(version_1 + std::string(ask_client));
  CHECK(user.ended());
}

TEST_CASE("a header that does not arrive is waited for no longer than a handshake, and costs no turns") {
  auto options = behind_proxy(true);
  options.settings.tls_handshake = 300ms;
  server running(options);
  auto const before = running.cpu_time();
  auto const started = steady::now();
  for (auto const* const part : {"", "PROXY TCP4 192."}) {
    client user(running.address(), security::tls_unstarted, part);
    CHECK(user.ended());
  }
  auto const took = steady::now() - started;
  CHECK(took >= 595ms);
  CHECK(took < 5s);
  // A loop over bytes that were only peeked at would use all of it.
  CHECK(running.cpu_time() - before < took / 4);
}
