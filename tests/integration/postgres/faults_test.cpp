#include "fixture.hpp"

#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;
using postgres::parameters;
using postgres::query;

namespace {

query sleep_for(double seconds) {
  return {{"sleep", "SELECT 1 FROM pg_sleep($1::text::float8)"}, parameters(std::to_string(seconds))};
}
query echo(std::int64_t n) {
  return {{"echo", "SELECT $1::int8"}, parameters(n)};
}

task<> echo_into(postgres::pool& pool, std::int64_t n, std::vector<std::int64_t>& order) {
  auto const got = co_await pool.run(echo(n), database::soon());
  order.push_back(got->front().integer(0));
}

struct tally {
  int answered = 0, foreign = 0, missed = 0, left = 0;
};

/// Every second caller has a deadline that may pass at any point of the conversation.
task<> echo_in_haste(postgres::pool& pool, std::int64_t n, tally& all) {
  try {
    auto const until = n % 2 == 0 ? database::soon() : deadline::after(microseconds(n * 7919 % 500));
    auto const got = co_await pool.run(echo(n), until);
    ++all.answered;
    if (got->front().integer(0) != n) ++all.foreign;
  } catch (unavailable const&) {
    ++all.missed;
  }
  --all.left;
}

}  // namespace

TEST_CASE(
    "a statement that outlives its deadline keeps its session until it ends, and the next gets its own answer") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.size = 1, .prepared_statements = prepared});
    auto const before = steady::now();
    CHECK_THROWS_AS(db.wait(db.pool.run(sleep_for(3), deadline::after(milliseconds(50)))), unavailable);
    CHECK(steady::now() - before < std::chrono::seconds(2));
    CHECK(db.must(echo(7)).front().integer(0) == 7);
    auto const stats = db.pool.stats();
    CHECK(stats.timeouts == 1);
    // The server still sleeps, so its session counts.
    CHECK(stats.abandoned == 1);
    CHECK(stats.closed == 0);
    CHECK(stats.connects == 2);
    CHECK_FALSE(stats.read_only);
    CHECK(db.until([&] { return db.pool.stats().abandoned == 0; }, std::chrono::seconds(10)));
    CHECK(db.pool.stats().closed == 1);
    CHECK(db.pool.healthy());
  }
}

TEST_CASE("among thousands of answers under expiring deadlines none belongs to another caller") {
  database db({.size = 4});
  tally all;
  for (std::int64_t n = 0; n < 2000; ++n) {
    ++all.left;
    asio::co_spawn(db.io, echo_in_haste(db.pool, n, all), asio::detached);
    if (n % 8 == 0) db.until([&] { return all.left < 16; });
  }
  REQUIRE(db.until([&] { return all.left == 0; }, std::chrono::seconds(20)));
  CHECK(all.foreign == 0);
  CHECK(all.answered >= 1000);
  CHECK(all.missed > 0);
  CHECK(db.must(echo(-1)).front().integer(0) == -1);
}

TEST_CASE("the unit of work honours the deadline it began with") {
  database db;
  auto unit = db.wait(db.pool.begin(deadline::after(milliseconds(100))));
  CHECK_THROWS_AS(db.wait(unit.run(sleep_for(5))), unavailable);
  CHECK_THROWS_AS(db.wait(unit.commit()), std::logic_error);
}

TEST_CASE("the server's own timeout ends a statement and keeps the connection") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.size = 1, .prepared_statements = prepared, .statement_timeout = milliseconds(500)});
    CHECK_THROWS_AS(db.run(sleep_for(5)), unavailable);
    CHECK(db.must(echo(8)).front().integer(0) == 8);
    CHECK(db.pool.stats().connects == 1);
  }
}

TEST_CASE("sessions have their settings") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.prepared_statements = prepared});
    auto const got = db.must({{"settings",
                               "SELECT current_setting('TimeZone'), current_setting('client_encoding'), "
                               "current_setting('application_name'), current_setting('statement_timeout'), "
                               "current_setting('lock_timeout'), "
                               "current_setting('idle_in_transaction_session_timeout'), "
                               "current_setting('enable_seqscan'), current_setting('jit')"}});
    auto const r = got.front();
    CHECK(r.text(0) == "UTC");
    CHECK(r.text(1) == "UTF8");
    CHECK(r.text(2) == "svcd");
    CHECK(r.text(3) == "5s");
    CHECK(r.text(4) == "2s");
    CHECK(r.text(5) == "3s");
    CHECK(r.text(6) == "off");
    CHECK(r.text(7) == "off");
  }
}

TEST_CASE("the pool is bounded, and callers are served in the order of their arrival") {
  database db({.size = 2, .max_waiting = 4});
  auto first = db.wait(db.pool.begin(database::soon()));
  auto second = std::optional(db.wait(db.pool.begin(database::soon())));
  CHECK(db.pool.stats().busy == 2);

  std::vector<std::int64_t> order;
  for (std::int64_t n = 1; n <= 4; ++n) asio::co_spawn(db.io, echo_into(db.pool, n, order), asio::detached);
  REQUIRE(db.until([&] { return db.pool.stats().waiting == 4; }));
  CHECK_THROWS_AS(db.run(echo(5)), unavailable);
  second.reset();
  REQUIRE(db.until([&] { return order.size() == 4; }));
  CHECK(order == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(db.pool.stats().connects == 2);
}

TEST_CASE("a caller waits for a connection until its deadline") {
  database db({.size = 1});
  auto held = db.wait(db.pool.begin(database::soon()));
  CHECK_THROWS_AS(db.wait(db.pool.run(echo(1), deadline::after(milliseconds(30)))), unavailable);
  CHECK(db.pool.stats().waiting == 0);
  CHECK(db.pool.stats().timeouts == 1);
}

TEST_CASE("a connection that ended while idle is replaced unnoticed") {
  database db({.size = 2});
  database other({.size = 1});
  auto const pid = db.must({{"pid", "SELECT pg_backend_pid()"}}).front().integer(0);
  REQUIRE(other.must({{"end", "SELECT pg_terminate_backend($1::int4, 5000)"}, parameters(pid)}).front().boolean(0));
  CHECK(db.must(echo(9)).front().integer(0) == 9);
  CHECK(db.pool.stats().connects == 2);
  CHECK(db.pool.stats().closed == 1);
}

TEST_CASE("a session ended in the middle of a statement is unavailable, not a refusal") {
  database db({.size = 1});
  CHECK_THROWS_AS(db.run({{"suicide", "SELECT pg_terminate_backend(pg_backend_pid())"}}), unavailable);
  CHECK(db.must(echo(10)).front().integer(0) == 10);
}

TEST_CASE("a read-only server is unavailable") {
  database db;
  auto const answer = [&] {
    return db.wait(db.pool.run({{{"ro", "SET TRANSACTION READ ONLY"}}, insert(1)}, database::soon()));
  };
  CHECK_THROWS_AS(answer(), unavailable);
  CHECK(db.count() == 0);
}

TEST_CASE("killed and restarted: unavailable at once, healthy within two seconds") {
  std::vector<bool> changes;
  database db({.size = 4}, [&](bool healthy) { changes.push_back(healthy); });
  REQUIRE(db.pool.healthy());
  server().kill();
  REQUIRE(db.until([&] { return !db.pool.healthy(); }));
  auto const before = steady::now();
  CHECK_THROWS_AS(db.run(echo(1)), unavailable);
  CHECK(steady::now() - before < std::chrono::seconds(2));
  server().start();
  CHECK(db.until([&] { return db.pool.healthy(); }, milliseconds(2000)));
  CHECK(db.must(echo(2)).front().integer(0) == 2);
  CHECK(changes == std::vector<bool>{true, false, true});
}

TEST_CASE("killed in the middle of a statement") {
  database db({.size = 1});
  auto unit = db.wait(db.pool.begin(database::soon()));
  REQUIRE(db.wait(unit.run(insert(1))).has_value());
  server().kill();
  CHECK_THROWS_AS(db.wait(unit.commit()), unavailable);
  server().start();
  REQUIRE(db.until([&] { return db.pool.healthy(); }));
  CHECK(db.count() == 0);
}

TEST_CASE("a frozen server: every caller is answered by its deadline, and all is well afterwards") {
  database db({.size = 2, .connect_timeout = milliseconds(300)});
  server().freeze();
  for (int i = 0; i < 3; ++i) {
    auto const before = steady::now();
    CHECK_THROWS_AS(db.wait(db.pool.run(echo(1), deadline::after(milliseconds(100)))), unavailable);
    CHECK(steady::now() - before < milliseconds(1000));
  }
  CHECK(db.until([&] { return !db.pool.healthy(); }));
  server().thaw();
  CHECK(db.until([&] { return db.pool.healthy(); }, milliseconds(2000)));
  CHECK(db.must(echo(3)).front().integer(0) == 3);
}

TEST_CASE("a stopped pool refuses, and a worker can be destroyed in the middle of everything") {
  database db({.size = 1});
  std::vector<std::int64_t> order;
  auto unit = std::optional(db.wait(db.pool.begin(database::soon())));
  asio::co_spawn(db.io, echo_into(db.pool, 1, order), asio::detached);
  REQUIRE(db.until([&] { return db.pool.stats().waiting == 1; }));
  unit.reset();
  db.io.poll_one();
  SUBCASE("stopped") {
    db.pool.stop();
    CHECK_THROWS_AS(db.run(echo(2)), unavailable);
  }
  SUBCASE("destroyed with a caller in flight") {
    CHECK(order.empty());
  }
}
