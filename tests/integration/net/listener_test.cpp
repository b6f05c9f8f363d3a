#include "integration/net/client.hpp"
#include "integration/net/server.hpp"
#include "support/tls_probe.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

using svc::test::ask_client;
using svc::test::certificate;
using svc::test::client;
using svc::test::server;

TEST_CASE("TLS 1.2 and 1.3 with HTTP/1.1 by ALPN") {
  server running;
  client older(running.address(), client::security::tls12);
  CHECK(older.tls_version() == "TLSv1.2");
  CHECK(older.alpn() == "http/1.1");
  CHECK(older.ask(ask_client).body == "127.0.0.1");
  client newer(running.address(), client::security::tls13);
  CHECK(newer.tls_version() == "TLSv1.3");
  CHECK(newer.alpn() == "http/1.1");
  CHECK(newer.ask(ask_client).body == "127.0.0.1");
}

TEST_CASE("ALPN: the better of both versions of HTTP, each one without the other, or the alert") {
  using svc::test::tls_version;
  struct {
    char const* name;
    std::string_view offered, chosen;
  } const cases[] = {
      {"none", "", ""},
      {"1.1", "\x08http/1.1", "http/1.1"},
      {"1.0", "\x08http/1.0", "http/1.0"},
      {"both, the older first", "\x08http/1.0\x08http/1.1", "http/1.1"},
      {"a newer one and 1.0", "\x02h2\x08http/1.0", "http/1.0"},
  };
  server running;
  for (auto const version : {tls_version::v1_2, tls_version::v1_3}) {
    for (auto const& each : cases) {
      CAPTURE(each.name);
      auto const met = svc::test::probe_tls(running.address(), version, {}, each.offered);
      CHECK(met.answered);
      CHECK(met.alpn == each.chosen);
    }
    CHECK_FALSE(svc::test::probe_tls(running.address(), version, {}, "\x08http/0.9").answered);
  }
}

TEST_CASE("plain listeners by TCP, IPv4 and by Unix socket") {
  auto const path = "/tmp/svc_net_" + std::to_string(::getpid()) + ".sock";
  {
    server by_tcp({.tls = false});
    client user(by_tcp.address(), client::security::plain);
    CHECK(user.ask(ask_client).body == "127.0.0.1");
    user.finish_sending();
    CHECK(user.ended());

    server by_unix({.tls = false, .address = "unix:" + path});
    client local(by_unix.address(), client::security::plain);
    CHECK(local.ask(ask_client).body == "unix");
    CHECK(std::filesystem::exists(path));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("TLS over a Unix socket") {
  server running({.address = "unix:/tmp/svc_net_tls_" + std::to_string(::getpid()) + ".sock"});
  client user(running.address());
  CHECK(user.ask(ask_client).body == "unix");
}

TEST_CASE("plain bytes on a TLS port end that connection only") {
  server running;
  client stranger(running.address(), client::security::plain);
  REQUIRE(stranger.send(ask_client));
  stranger.receive();
  CHECK(client(running.address()).ask(ask_client).status == 200);
}

TEST_CASE("connections spread over the workers") {
  server running({.workers = 2});
  std::vector<client> users;
  for (int i = 0; i < 10; ++i) {
    users.emplace_back(running.address());
    CHECK(users.back().ask(ask_client).status == 200);
  }
  CHECK(running.load(0) == 5);
  CHECK(running.load(1) == 5);
}

TEST_CASE("a full worker closes the connection that has been idle longest") {
  server running({.settings = {.connections = 2, .reserved_connections = 0}, .tls = false});
  std::vector<client> users;
  for (int i = 0; i < 5; ++i) {
    // When the place is not free in time, the new one is closed as well, and comes again.
    for (int tries = 0; tries < 3 && users.size() == static_cast<std::size_t>(i); ++tries) {
      client client(running.address(), client::security::plain);
      client.send(ask_client);
      auto const got = client.receive();
      if (!got) continue;
      CHECK(got->status == 200);
      users.push_back(std::move(client));
    }
    REQUIRE(users.size() == static_cast<std::size_t>(i) + 1);
  }
  for (std::size_t i = 0; i < 3; ++i) CHECK(users[i].ended());
  CHECK(users[3].ask(ask_client).status == 200);
}

TEST_CASE("a worker whose connections are all busy closes new ones, and accepts again when one has ended") {
  server running({.settings = {.connections = 2, .reserved_connections = 0}, .tls = false});
  constexpr char const* ask_gate = "GET /gate HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  client first(running.address(), client::security::plain);
  REQUIRE(first.send(ask_gate));
  {
    client second(running.address(), client::security::plain);
    REQUIRE(second.send(ask_gate));
    REQUIRE(running.eventually([&] { return running.service().at_gate == 2; }));
    client third(running.address(), client::security::plain);
    CHECK(third.ended());
    running.on_worker([&] { running.service().open_gate(); });
    CHECK(first.receive());
    CHECK(second.receive());
  }
  REQUIRE(running.eventually([&] { return running.load() == 0; }));
  CHECK(client(running.address(), client::security::plain).ask(ask_client).status == 200);
}

TEST_CASE("without descriptors the listener waits and then continues") {
  server running({.tls = false});
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  // The client's socket takes the last descriptor that the limit allows.
  int const next = ::dup(0);
  ::close(next);
  rlimit const tight{.rlim_cur = static_cast<rlim_t>(next) + 1, .rlim_max = before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
  client user(running.address(), client::security::plain);
  REQUIRE(user.send(ask_client));
  CHECK_FALSE(user.readable_within(std::chrono::milliseconds(150)));
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  auto const got = user.receive();
  REQUIRE(got);
  CHECK(got->status == 200);
}

TEST_CASE("certificate files that cannot be used are named") {
  certificate const good, other;
  auto const broken =
      good.directory.write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  struct row {
    char const* name;
    std::string certificate, key, blamed;
  };
  for (auto const& each : {
           row{"no certificate", "/nowhere.pem", good.key_file, "/nowhere.pem"},
           row{"no key", good.certificate_file, "/nowhere.key", "/nowhere.key"},
           row{"broken certificate", broken, good.key_file, broken},
           row{"key file without a key", good.certificate_file, broken, broken},
           row{"another one's key", good.certificate_file, other.key_file, other.key_file},
       }) {
    CAPTURE(each.name);
    CHECK_THROWS_WITH_AS(svc::net::load_tls_context(each.certificate, each.key),
                         doctest::Contains(each.blamed.c_str()), std::runtime_error);
  }
  CHECK(svc::net::load_tls_context(good.certificate_file, good.key_file) != nullptr);
}
