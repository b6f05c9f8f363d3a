#include "integration/redis/fixture.hpp"

#include "support/temporary_directory.hpp"

#include <filesystem>

using namespace svc;
using namespace svc::redis;
using svc::test::private_redis;

namespace {

void burn(steady::duration d) {
  auto const until = deadline::after(d);
  while (!until.passed()) {
  }
}

}  // namespace

TEST_CASE("a stopped Redis: missed within the deadline, late replies are dropped after it continues") {
  private_redis server;
  worker w;
  auto where = patient(server.url());
  where.command_deadline = 50ms;
  client c(w.io, where, {}, w.listener());
  w.connect(c);
  server.freeze();
  for (int i = 0; i < 3; ++i) {
    auto const start = steady::now();
    CHECK(text(w.ask(c, {"ECHO", "late " + std::to_string(i)})) == "missed");
    CHECK(steady::now() - start >= 50ms);
    CHECK(steady::now() - start < 500ms);
  }
  auto const start = steady::now();
  CHECK(text(w.ask(c, {"ECHO", "late"}, 10ms)) == "missed");  // the request's deadline is earlier
  CHECK(steady::now() - start < 300ms);
  CHECK(c.stats().missed == 4);
  auto const replies = c.stats().replies;
  server.thaw();
  std::optional<outcome> mine;
  for (int i = 0; i < 20 && text(mine.value_or(outcome{})) != "mine"; ++i) mine = w.ask(c, {"ECHO", "mine"});
  CHECK(text(*mine) == "mine");
  CHECK(c.stats().replies >= replies + 5);
  CHECK(w.changes == std::vector<bool>{true});  // the same connection all the time
}

TEST_CASE("a connection that must have no gaps survives without requests, and ends when Redis has stood still") {
  private_redis server;
  worker w;
  auto where = patient(server.url());
  where.longest_gap = 1s;
  client c(w.io, where, {}, w.listener());
  int losses = 0;
  c.on_loss([&] { ++losses; });
  w.connect(c);
  auto const rested = deadline::after(2500ms);
  w.run_until([&] { return losses > 0 || rested.passed(); });
  CHECK(losses == 0);
  server.freeze();
  auto const thawed = deadline::after(1500ms);
  w.run_until([&] { return thawed.passed(); });
  CHECK(losses == 0);  // nothing has answered yet
  server.thaw();
  CHECK(w.run_until([&] { return losses == 1 && c.connected(); }));
  CHECK(text(w.ask(c, {"ECHO", "again"})) == "again");
}

TEST_CASE("a connection that owes replies and is silent is closed and reopened") {
  private_redis server;
  worker w;
  auto where = patient(server.url());
  where.command_deadline = 20ms;
  where.silence_limit = 1s;
  where.connect_timeout = 200ms;
  client c(w.io, where, {}, w.listener());
  w.connect(c);
  server.freeze();
  CHECK(text(w.ask(c, {"ECHO", "late"})) == "missed");
  CHECK(c.connected());
  REQUIRE(w.run_until([&] { return !c.connected(); }));
  CHECK(c.last_fault() == "Redis owes replies and is silent");
  CHECK(text(w.ask(c, {"PING"})) == "unsent");
  // The frozen server's socket still accepts connections, which then get no answer.
  REQUIRE(w.run_until([&] { return c.last_fault() != "Redis owes replies and is silent"; }));
  server.thaw();
  REQUIRE(w.run(c.wait_connected(deadline::after(15s))));
  CHECK(w.changes == std::vector<bool>{true, false, true});
  CHECK(c.stats().reconnects == 1);
}

TEST_CASE("an idle connection does not count as a silent one") {
  private_redis const server;
  worker w;
  auto where = patient(server.url());
  where.silence_limit = 20ms;
  client c(w.io, where, {}, w.listener());
  w.connect(c);
  CHECK(text(w.ask(c, {"PING"})) == "PONG");
  bool over = false;
  steady_timer pause(w.io, 100ms);
  pause.async_wait([&](boost::system::error_code) { over = true; });
  REQUIRE(w.run_until([&] { return over; }));
  CHECK(text(w.ask(c, {"PING"})) == "PONG");
  CHECK(w.changes == std::vector<bool>{true});
}

TEST_CASE("a busy loop causes no miss: bytes in the socket count") {
  private_redis const server;
  worker w;
  auto where = patient(server.url());
  where.command_deadline = 50ms;
  client c(w.io, where, {});
  w.connect(c);
  for (int i = 0; i < 10; ++i) {
    std::optional<outcome> got;
    auto const writes = c.stats().writes;
    asio::co_spawn(w.io, ask_into(c, "word", deadline::after(10s), got), asio::detached);
    REQUIRE(w.run_until([&] { return c.stats().writes > writes; }));
    burn(120ms);           // both the timer and the reply are due when the loop continues
    server.ask({"PING"});  // Redis has had its turn since, even if it was kept off the processor
    REQUIRE(w.run_until([&] { return got.has_value(); }));
    CHECK(text(*got) == "word");
  }
  CHECK(c.stats().missed == 0);
}

TEST_CASE("a killed Redis: written commands are missed, the rest is unsent; then the connection is made again") {
  private_redis server;
  worker w;
  client c(w.io, patient(server.url()), {}, w.listener());
  w.connect(c);
  server.freeze();
  std::optional<outcome> written;
  auto const writes = c.stats().writes;
  asio::co_spawn(w.io, ask_into(c, "a", deadline::after(10s), written), asio::detached);
  REQUIRE(w.run_until([&] { return c.stats().writes > writes; }));
  server.kill();
  REQUIRE(w.run_until([&] { return written.has_value() && !c.connected(); }));
  CHECK(text(*written) == "missed");
  CHECK(text(w.ask(c, {"PING"})) == "unsent");
  REQUIRE(w.run_until([&] { return c.last_fault().find("connect: ") == 0; }));
  CHECK_FALSE(w.run(c.wait_connected(deadline::after(30ms))));
  server.start();
  REQUIRE(w.run(c.wait_connected(deadline::after(15s))));
  CHECK(text(w.ask(c, {"PING"})) == "PONG");
  CHECK(w.changes == std::vector<bool>{true, false, true});
  CHECK(c.stats().reconnects == 1);
}

TEST_CASE("a connection that the server closes is replaced") {
  private_redis const server;
  worker w;
  client c(w.io, patient(server.url()), {}, w.listener());
  w.connect(c);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    CHECK(server.ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}) == "1");
    REQUIRE(w.run_until([&] { return c.stats().reconnects == round; }));
    CHECK(text(w.ask(c, {"PING"})) == "PONG");
  }
}

TEST_CASE("a replica that refuses a write is left for the name's new server, after a second at the earliest") {
  private_redis const old, current;
  svc::test::temporary_directory const names;
  auto const name = names.path() + "/redis";
  std::filesystem::create_symlink(old.socket(), name);
  worker w;
  auto const start = steady::now();
  client c(w.io, patient("unix:" + name), {}, w.listener());
  w.connect(c);
  CHECK(text(w.ask(c, {"SET", "k", "v"})) == "OK");
  old.ask({"REPLICAOF", "127.0.0.1", "1"});  // nothing listens there
  std::filesystem::remove(name);
  std::filesystem::create_symlink(current.socket(), name);
  CHECK(text(w.ask(c, {"SET", "k", "v"})).starts_with("-READONLY"));
  CHECK(text(w.ask(c, {"GET", "k"})) == "v");
  REQUIRE(w.run_until([&] {
    auto const said = text(w.ask(c, {"SET", "k", "v"}));
    return said == "OK" || steady::now() - start > 10s;
  }));
  CHECK(steady::now() - start >= 1s);
  CHECK(current.ask({"GET", "k"}) == "v");
  CHECK(w.changes == std::vector<bool>{true});
  CHECK(c.stats().reconnects == 1);
}

TEST_CASE("the server's error is kept when it refuses the connection") {
  private_redis const server({.arguments = {"--maxclients", "1"}});
  worker w;
  client first(w.io, patient(server.url()), {});
  w.connect(first);
  client second(w.io, patient(server.url()), {});
  second.start();
  REQUIRE(w.run_until([&] { return !second.last_fault().empty(); }));
  CAPTURE(second.last_fault());
  CHECK(second.last_fault().find("max number of clients") != std::string::npos);
}
