#include "integration/redis/fixture.hpp"

using namespace svc;
using namespace svc::redis;
using svc::test::private_redis;

namespace {

script const add_one("add_one", "return redis.call('INCRBY', KEYS[1], ARGV[1])");

task<outcome> add(client& c, std::string key, std::string amount) {
  std::array<std::string_view, 1> const keys{key};
  std::array<std::string_view, 1> const arguments{amount};
  co_return co_await c.evaluate(add_one, keys, arguments, deadline::after(10s));
}

}  // namespace

TEST_CASE("commands over each kind of stream") {
  private_redis const server({.tcp = true});
  std::string const urls[] = {server.url(), "redis://127.0.0.1:" + server.port(),
                              "redis://localhost:" + server.port(), server.url() + "?db=3"};
  for (auto const& url : urls) {
    CAPTURE(url);
    worker w;
    client c(w.io, patient(url), {}, w.listener());
    CHECK_FALSE(c.connected());
    CHECK(text(w.ask(c, {"PING"})) == "unsent");
    w.connect(c);
    CHECK(w.changes == std::vector<bool>{true});
    CHECK(text(w.ask(c, {"PING"})) == "PONG");
    std::string const binary("\r\n\0$5", 5);
    CHECK(text(w.ask(c, {"SET", "key", binary})) == "OK");
    CHECK(text(w.ask(c, {"GET", "key"})) == binary);
    CHECK(w.ask(c, {"GET", "none"}).value.is_nil());
    CHECK(text(w.ask(c, {"DEL", "key", "none"})) == "1");
    auto const many = w.ask(c, {"MGET", "a", "b"});
    CHECK(many.ok());
    CHECK(many.value.elements.size() == 2);
    auto const wrong = w.ask(c, {"NO-SUCH-COMMAND"});
    CHECK(wrong.state == delivery::answered);
    CHECK_FALSE(wrong.ok());
    CHECK(wrong.value.error_code() == "ERR");
    CHECK(w.ask(c, {"PING"}, -1ms).state == delivery::unsent);
    CHECK(c.stats().missed == 0);
  }
}

TEST_CASE("a url's database is selected") {
  private_redis const server;
  worker w;
  client c(w.io, patient(server.url() + "?db=3"), {});
  w.connect(c);
  CHECK(text(w.ask(c, {"SET", "key", "x"})) == "OK");
  CHECK(server.ask({"DBSIZE"}) == "0");
  CHECK(server.ask({"INFO", "keyspace"}).find("db3:keys=1") != std::string::npos);
}

TEST_CASE("a thousand coroutines share few writes and each gets its own reply") {
  private_redis const server;
  worker w;
  client c(w.io, patient(server.url()), {});
  w.connect(c);
  auto const before = c.stats();
  std::vector<std::optional<outcome>> outcomes(1000);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    asio::co_spawn(w.io, ask_into(c, "word " + std::to_string(i), deadline::after(10s), outcomes[i]), asio::detached);
  }
  REQUIRE(w.run_until(
      [&] { return std::all_of(outcomes.begin(), outcomes.end(), [](auto const& o) { return o.has_value(); }); }));
  for (std::size_t i = 0; i < outcomes.size(); ++i) CHECK(text(*outcomes[i]) == "word " + std::to_string(i));
  CHECK(c.stats().commands - before.commands == 1000);
  CHECK(c.stats().replies - before.replies == 1000);
  CHECK(c.stats().writes - before.writes <= 4);
}

TEST_CASE("values larger than the socket's buffer pass in both directions") {
  private_redis const server;
  worker w;
  client c(w.io, patient(server.url()), {});
  w.connect(c);
  std::vector<std::optional<outcome>> outcomes(16);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < outcomes.size(); ++i) values.emplace_back((1U << 20) + i, static_cast<char>('a' + i));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    asio::co_spawn(w.io, ask_into(c, values[i], deadline::after(10s), outcomes[i]), asio::detached);
  }
  REQUIRE(w.run_until(
      [&] { return std::all_of(outcomes.begin(), outcomes.end(), [](auto const& o) { return o.has_value(); }); }));
  for (std::size_t i = 0; i < outcomes.size(); ++i) CHECK((text(*outcomes[i]) == values[i]));
}

TEST_CASE("scripts are loaded on connecting, and again when Redis has lost them") {
  private_redis const server;
  worker w;
  client c(w.io, patient(server.url()), {&add_one});
  w.connect(c);
  std::string const sha(add_one.sha());
  CHECK(server.ask({"SCRIPT", "EXISTS", sha}) == "1\n");
  CHECK(text(w.run(add(c, "n", "1"))) == "1");
  CHECK(c.stats().errors == 0);
  CHECK(server.ask({"SCRIPT", "FLUSH"}) == "OK");
  CHECK(text(w.run(add(c, "n", "2"))) == "3");
  CHECK(c.stats().errors == 1);
  CHECK(server.ask({"SCRIPT", "EXISTS", sha}) == "1\n");
  CHECK(text(w.run(add(c, "n", "4"))) == "7");
  CHECK(c.stats().errors == 1);
  // Any other error goes to the caller, and nothing runs twice.
  CHECK(w.run(add(c, "n", "x")).value.is_error());
  CHECK(server.ask({"GET", "n"}) == "7");
}

TEST_CASE("an ACL user") {
  private_redis const server;
  CHECK(server.ask({"ACL", "SETUSER", "svc", "on", ">right", "~*", "+@all"}) == "OK");
  SUBCASE("with the right password") {
    worker w;
    client c(w.io, patient("unix:" + server.socket()), {});
    w.connect(c);
    CHECK(text(w.ask(c, {"ACL", "WHOAMI"})) == "default");
    auto where = patient(server.url());
    where.username = "svc";
    where.password = secret_string("right");
    client named(w.io, where, {&add_one});
    w.connect(named);
    CHECK(text(w.ask(named, {"ACL", "WHOAMI"})) == "svc");
  }
  SUBCASE("with a wrong one the fault says so, without the password") {
    worker w;
    auto where = patient(server.url());
    where.username = "svc";
    where.password = secret_string("wr0ng");
    client c(w.io, where, {}, w.listener());
    c.start();
    REQUIRE(w.run_until([&] { return !c.last_fault().empty(); }));
    CHECK(c.last_fault().find("AUTH: WRONGPASS") == 0);
    CHECK(c.last_fault().find("wr0ng") == std::string::npos);
    CHECK(w.changes.empty());
    CHECK(text(w.ask(c, {"PING"})) == "unsent");
  }
}

TEST_CASE("a client ends waiting commands when it stops or is destroyed") {
  private_redis server;
  worker w;
  std::optional<outcome> written, waiting, later;
  bool connected = true;
  {
    client c(w.io, patient(server.url()), {}, w.listener());
    w.connect(c);
    server.freeze();
    auto const writes = c.stats().writes;
    asio::co_spawn(w.io, ask_into(c, "a", deadline::after(10s), written), asio::detached);
    REQUIRE(w.run_until([&] { return c.stats().writes > writes; }));
    SUBCASE("stop") {
      c.stop();
      CHECK(w.changes == std::vector<bool>{true, false});
      asio::co_spawn(w.io, ask_into(c, "b", deadline::after(10s), later), asio::detached);
      REQUIRE(w.run_until([&] { return later.has_value(); }));
      CHECK(text(*later) == "unsent");
      connected = w.run(c.wait_connected(deadline::after(10s)));
      CHECK_FALSE(connected);
    }
    SUBCASE("destructor") {}
  }
  REQUIRE(w.run_until([&] { return written.has_value(); }));
  CHECK(text(*written) == "missed");
  server.thaw();
}
