#include "integration/net/client.hpp"
#include "integration/net/server.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <thread>

using namespace std::chrono_literals;
using svc::steady;
using svc::test::client;
using svc::test::server;
using svc::test::server_options;

namespace {

/// All deadlines are far away except the one that a test sets.
svc::net::session_settings patient() {
  return {.tls_handshake = 60s, .head = 60s, .idle = 60s, .body_window = 60s, .body_total = 60s, .write = 60s};
}

constexpr auto limit = 200ms;
constexpr std::string_view half_head = "GET / HTTP/1.1\r\nHos";
constexpr std::string_view half_body = "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf";

/// Sends one more byte every 20 ms until the server answers or closes.
void trickle(client& user, char byte) {
  while (!user.readable_within(20ms) && user.send({&byte, 1})) {
  }
}

struct stopwatch {
  steady::time_point started = steady::now();
  /// Not before `limit`, and long before any other deadline.
  void check_in_time() const {
    auto const took = steady::now() - started;
    CHECK(took >= limit - 5ms);
    CHECK(took < 2s);
  }
};

}  // namespace

void check_answered_in_time(client& user, stopwatch const& watch) {
  auto const got = user.receive();
  REQUIRE(got);
  CHECK(got->status == 408);
  CHECK(got->has("Connection: close"));
  watch.check_in_time();
  CHECK(user.ended());
}

TEST_CASE("a TLS handshake that stalls is closed") {
  auto settings = patient();
  settings.tls_handshake = limit;
  server running({.settings = settings});
  SUBCASE("nothing comes") {
    stopwatch const watch;
    client user(running.address(), client::security::tls_unstarted);
    CHECK(user.ended());
    watch.check_in_time();
  }
  SUBCASE("the first record never ends") {
    stopwatch const watch;
    client user(running.address(), client::security::tls_unstarted);
    REQUIRE(user.send(std::string_view("\x16\x03\x01\x02\x00\x01", 6)));
    trickle(user, '\0');
    user.ended();
    watch.check_in_time();
  }
}

TEST_CASE("an idle connection is closed silently") {
  auto settings = patient();
  settings.idle = limit;
  server running({.settings = settings});
  SUBCASE("before its first request") {
    stopwatch const watch;
    client user(running.address());
    CHECK(user.ended());
    CHECK_FALSE(user.abruptly());
    watch.check_in_time();
  }
  SUBCASE("between requests") {
    client user(running.address());
    stopwatch const watch;  // the limit begins with the answer, which the client may read late
    CHECK(user.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
    CHECK(user.ended());
    CHECK_FALSE(user.abruptly());
    watch.check_in_time();
  }
}

TEST_CASE("a head that stalls or trickles gets 408, and the connection ends") {
  auto settings = patient();
  settings.head = limit;
  server running({.settings = settings});
  client user(running.address());
  CHECK(user.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
  stopwatch const watch;
  REQUIRE(user.send(half_head));
  SUBCASE("stall") {}
  SUBCASE("trickle") {
    trickle(user, 'X');
  }
  check_answered_in_time(user, watch);
}

TEST_CASE("a body that stalls or trickles gets 408, and the connection ends") {
  auto settings = patient();
  settings.body_window = limit;
  settings.body_window_bytes = 100;
  server running({.settings = settings});
  client user(running.address());
  stopwatch const watch;
  REQUIRE(user.send(half_body));
  SUBCASE("stall") {}
  SUBCASE("trickle") {
    trickle(user, 'b');
  }
  check_answered_in_time(user, watch);
}

TEST_CASE("a body may be slow for longer than a window, but not for ever") {
  auto settings = patient();
  settings.body_window = 500ms;
  settings.body_window_bytes = 1;
  settings.body_total = 1s;
  server running({.settings = settings});
  client user(running.address());
  auto const started = steady::now();
  REQUIRE(user.send(half_body));
  trickle(user, 'b');
  CHECK(steady::now() - started >= 995ms);
  auto const got = user.receive();
  REQUIRE(got);
  CHECK(got->status == 408);
}

TEST_CASE("an unread body that does not arrive ends the connection") {
  auto settings = patient();
  settings.body_window = limit;
  settings.body_window_bytes = 100;
  server running({.settings = settings});
  client user(running.address());
  stopwatch const watch;
  CHECK(user.ask("POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n").status == 200);
  CHECK(user.ended());
  watch.check_in_time();
}

TEST_CASE("a client that does not read is closed") {
  auto settings = patient();
  settings.write = limit;
  for (auto const tls : {true, false}) {
    CAPTURE(tls);
    server running({.settings = settings, .tls = tls});
    client user(running.address(), tls ? client::security::tls13 : client::security::plain);
    stopwatch const watch;
    REQUIRE(user.send("GET /big/30000000 HTTP/1.1\r\nHost: x\r\n\r\n"));
    REQUIRE(running.eventually([&] { return running.service().served == 1; }));
    REQUIRE(running.emptied());
    watch.check_in_time();
    CHECK(running.service().incomplete == 1);
  }
}

TEST_CASE("a client that reads slowly, but reads, gets everything") {
  auto settings = patient();
  settings.write = 1s;
  server running({.settings = settings});
  client user(running.address());
  REQUIRE(user.send("GET /big/30000000 HTTP/1.1\r\nHost: x\r\n\r\n"));
  auto const got = user.receive();
  REQUIRE(got);
  CHECK(got->body.size() == 30'000'000);
}

TEST_CASE("a client that reads below the least pace, or for longer than a response may take, is closed") {
  auto settings = patient();
  auto pause = 5ms;
  std::string request = "GET /big/30000000 HTTP/1.1\r\nHost: x\r\n\r\n";
  SUBCASE("below the least pace") {
    settings.write = limit;
    settings.write_window_bytes = 1'000'000'000;
  }
  SUBCASE("too long") {
    settings.write_total = limit;
  }
  SUBCASE("a body in pieces that takes too long") {
    settings.write_total = limit;
    request = "GET /count/1000000000/finite HTTP/1.1\r\nHost: x\r\n\r\n";
    pause = 0ms;
  }
  server running({.settings = settings});
  client user(running.address());
  REQUIRE(user.send(request));
  // The client never stops reading. It would need minutes for all of it.
  auto const end = steady::now() + 10s;
  bool over = false;
  while (!over && steady::now() < end) {
    over = !user.some();
    std::this_thread::sleep_for(pause);
  }
  CHECK(over);
  REQUIRE(running.emptied());
  CHECK(running.service().incomplete == 1);
}

TEST_CASE("the server does not wait for a client that neither continues to read nor closes") {
  auto settings = patient();
  settings.linger = limit;
  server running({.settings = settings});
  client user(running.address());
  stopwatch const watch;
  REQUIRE(user.send("GET /close HTTP/1.1\r\nHost: x\r\n\r\n"));
  REQUIRE(running.emptied());
  watch.check_in_time();
}

TEST_CASE("a connection that has reached its age ends with its next answer, not before") {
  auto settings = patient();
  settings.age = 300ms;
  server running({.settings = settings});
  auto const started = steady::now();  // a connection's age begins before its handshake
  client user(running.address());
  constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  int asked = 0;
  for (bool last = false; !last; ++asked) {
    auto const got = user.ask(get);
    CHECK(got.status == 200);
    last = got.has("Connection: close");
    // A tenth less at most.
    if (last) CHECK(steady::now() - started >= 270ms);
    REQUIRE(steady::now() - started < 5s);
  }
  CHECK(asked > 1);
  CHECK(user.ended());
  CHECK_FALSE(user.abruptly());
  client idle(running.address());
  CHECK_FALSE(idle.ask(get).has("Connection: close"));
  CHECK_FALSE(idle.readable_within(400ms));
  CHECK(idle.ask(get).has("Connection: close"));
  CHECK(idle.ended());
}
