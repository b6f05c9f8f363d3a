// PgBouncer 1.18 of Debian in transaction mode: a session of the server belongs to nobody for longer than a transaction.
#include "fixture.hpp"
#include "support/private_pgbouncer.hpp"
#include "support/store_probe.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;
using postgres::parameters;
using postgres::query;

namespace {

postgres::settings through(private_pgbouncer const& pooler) {
  return {.url = secret_string(pooler.url()),
          .size = 8,
          .prepared_statements = false,
          .statement_timeout = milliseconds(4321)};
}

query const settings_of_session{
    {"settings_of_session",
     "SELECT current_setting('statement_timeout'), current_setting('lock_timeout'), current_setting('TimeZone'), "
     "current_setting('enable_seqscan'), current_setting('jit')"}};

}  // namespace

TEST_CASE("through PgBouncer every transaction has its settings, and none stays in a session of the server") {
  private_pgbouncer const pooler("host=" + server().directory(), "default_pool_size = 1");
  auto const usual = ask_postgres(pooler.url(), settings_of_session.what.sql.data());
  asio::io_context io{1};
  postgres::pool pool(io, through(pooler));
  pool.start();
  for (int i = 0; i < 3; ++i) {
    auto const got = run_task(io, pool.run(settings_of_session, database::soon())).value();
    CHECK(got.front().text(0) == "4321ms");
    CHECK(got.front().text(1) == "2s");
    CHECK(got.front().text(2) == "UTC");
    CHECK(got.front().text(3) == "off");
    // Another client of the pooler gets the same session of the server.
    CHECK(ask_postgres(pooler.url(), settings_of_session.what.sql.data()) == usual);
  }
  auto unit = run_task(io, pool.begin(database::soon()));
  CHECK(run_task(io, unit.run(settings_of_session))->front().text(0) == "4321ms");
  run_task(io, unit.commit()).value();
  CHECK(ask_postgres(pooler.url(), settings_of_session.what.sql.data()) == usual);
  pool.stop();
}

TEST_CASE("through PgBouncer many callers share two sessions of the server, and each gets its own answer") {
  private_pgbouncer const pooler("host=" + server().directory(), "default_pool_size = 2");
  asio::io_context io{1};
  postgres::pool pool(io, through(pooler));
  pool.start();
  int left = 0, right = 0;
  auto const ask = [&](std::int64_t n) -> task<> {
    auto const got = co_await pool.run(query{{"echo", "SELECT $1::int8"}, parameters(n)}, database::soon());
    if (got->front().integer(0) == n) ++right;
    --left;
  };
  auto const read = [&](std::int64_t n) -> task<> {
    auto const got = co_await pool.read(query{{"echo", "SELECT $1::int8"}, parameters(n)}, database::soon());
    if (got->front().integer(0) == n) ++right;
    --left;
  };
  for (std::int64_t n = 0; n < 400; ++n) {
    ++left;
    asio::co_spawn(io, n % 2 == 0 ? ask(n) : read(n), asio::detached);
  }
  auto const end = steady::now() + std::chrono::seconds(20);
  while (left > 0 && steady::now() < end) io.run_one_for(milliseconds(10));
  CHECK(right == 400);
  CHECK(pool.stats().connects == 8);
  pool.stop();
}

TEST_CASE("PgBouncer refuses sessions with settings of their own, and the error says what to do") {
  private_pgbouncer const pooler("host=" + server().directory());
  asio::io_context io{1};
  auto how = through(pooler);
  how.prepared_statements = true;
  postgres::pool pool(io, how);
  pool.start();
  std::string why;
  try {
    run_task(io, pool.run(settings_of_session, database::soon()));
  } catch (unavailable const& e) {
    why = e.what();
  }
  CAPTURE(why);
  CHECK(why.find("set `postgres.prepared_statements = false`") != why.npos);
  pool.stop();
}
