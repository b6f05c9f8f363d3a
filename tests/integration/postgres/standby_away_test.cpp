// No synchronous standby answers, so a COMMIT waits, and its backend does not notice that its client has gone.
// `TEST_STANDBY_AWAY=180`: for how many seconds.
#include "fixture.hpp"
#include "support/replicated_postgres.hpp"
#include "support/store_probe.hpp"

#include <boost/asio/detached.hpp>

#include <cstdlib>

using namespace svc;
using namespace svc::test;
using postgres::query;

namespace {

constexpr int pool_size = 4;
/// The pool's sessions while changes may begin and while they may not; what the test asks; three for superusers.
constexpr auto server_settings = "max_connections = 16\n";
/// Twice the pool; one that is opened when all are abandoned, to find out why; and one that the server is still
/// ending.
constexpr int most_sessions = 2 * pool_size + 2;
constexpr milliseconds patience_of_change{200};
constexpr std::chrono::seconds patience_of_read{10};

std::chrono::seconds time_away() {
  char const* const text = std::getenv("TEST_STANDBY_AWAY");
  return std::chrono::seconds(text == nullptr ? 6 : std::atoi(text));
}

struct seen {
  std::size_t reads = 0, failed_reads = 0, changes = 0, failed_changes = 0;
  milliseconds longest_read{0};
  int most_sessions = 0;
  bool over = false;
  int running = 0;
};

task<> keep_reading(asio::io_context& io, postgres::pool& pool, seen& all) {
  steady_timer pause(io);
  while (!all.over) {
    auto const start = steady::now();
    try {
      (co_await pool.run(query{{"read", "SELECT count(*) FROM thing"}}, deadline::after(patience_of_read))).value();
      ++all.reads;
    } catch (unavailable const&) {
      ++all.failed_reads;
    }
    all.longest_read = std::max(all.longest_read, std::chrono::duration_cast<milliseconds>(steady::now() - start));
    pause.expires_after(milliseconds(5));
    co_await pause.async_wait(awaiting);
  }
  --all.running;
}

/// Refused changes are repeated after a pause, as clients do.
task<> keep_changing(asio::io_context& io, postgres::pool& pool, seen& all) {
  steady_timer pause(io);
  while (!all.over) {
    try {
      auto const until = deadline::after(patience_of_change);
      (co_await pool.run(query{{"change", "INSERT INTO thing DEFAULT VALUES"}}, until)).value();
      ++all.changes;
    } catch (unavailable const&) {
      ++all.failed_changes;
    }
    pause.expires_after(milliseconds(20));
    co_await pause.async_wait(awaiting);
  }
  --all.running;
}

int sessions_of_pool(private_postgres const& postgres) {
  return std::stoi(
      ask_postgres(postgres.url(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'svcd'")[0][0]);
}

struct primary_client {
  explicit primary_client(std::string const& url) : pool(io, {.url = secret_string(url), .size = pool_size}) {
    pool.start();
  }
  ~primary_client() { pool.stop(); }
  bool until(std::function<bool()> const& condition, milliseconds limit) { return run_until(io, condition, limit); }
  asio::io_context io{1};
  postgres::pool pool;
};

/// Keeps reading and changing for `how_long`, and looks at the server meanwhile.
seen work(primary_client& client, private_postgres const& primary, std::chrono::seconds how_long) {
  seen all;
  for (int i = 0; i < 2 * pool_size; ++i, ++all.running)
    asio::co_spawn(client.io, keep_changing(client.io, client.pool, all), asio::detached);
  for (int i = 0; i < 2; ++i, ++all.running)
    asio::co_spawn(client.io, keep_reading(client.io, client.pool, all), asio::detached);
  for (auto const end = steady::now() + how_long; steady::now() < end;) {
    client.until([] { return false; }, milliseconds(200));
    all.most_sessions = std::max(all.most_sessions, sessions_of_pool(primary));
  }
  all.over = true;
  REQUIRE(client.until([&] { return all.running == 0; }, std::chrono::seconds(20)));
  return all;
}

}  // namespace

TEST_CASE("without the synchronous standby reads continue, and timed-out commits use up no connections") {
  replicated_postgres stores(replicated_postgres::commits::synchronous, server_settings);
  ask_postgres(stores.primary().url(), "CREATE TABLE thing (id serial PRIMARY KEY)");
  stores.wait_until_level();
  primary_client client(stores.primary().url());
  auto const before = work(client, stores.primary(), std::chrono::seconds(1));
  CHECK(before.changes > 0);
  CHECK(before.failed_reads == 0);

  stores.standby().stop();
  auto const away = work(client, stores.primary(), time_away());
  MESSAGE(away.reads, " reads, the longest ", away.longest_read.count(), " ms; ", away.failed_changes,
          " changes refused; at most ", away.most_sessions, " sessions");
  CHECK(away.reads > 100);
  CHECK(away.failed_reads == 0);
  CHECK(away.longest_read < std::chrono::seconds(4));
  CHECK(away.changes == 0);
  CHECK(away.failed_changes > 20);
  CHECK(away.most_sessions <= most_sessions);
  CHECK(client.pool.healthy());
  CHECK(client.pool.stats().read_only);
  CHECK(client.pool.stats().abandoned >= pool_size / 2);

  stores.standby().start();
  CHECK(client.until([&] { return client.pool.stats().abandoned == 0; }, std::chrono::seconds(30)));
  CHECK_FALSE(client.pool.stats().read_only);
  auto const after = work(client, stores.primary(), std::chrono::seconds(1));
  CHECK(after.changes > 0);
  CHECK(after.failed_reads == 0);
}

TEST_CASE("sessions that wait for locks do not stop changes") {
  database db({.size = 2, .statement_timeout = std::chrono::seconds(30), .lock_timeout = std::chrono::seconds(20)});
  locked_row row(db);

  query const change{{"change", "UPDATE item SET label = 'x' WHERE id = 1"}};
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_AS(db.wait(db.pool.run(change, deadline::after(milliseconds(700)))), unavailable);
  CHECK(db.pool.stats().abandoned == 2);
  db.until([] { return false; }, milliseconds(1500));
  CHECK_FALSE(db.pool.stats().read_only);
  CHECK(db.run(insert(2)).has_value());

  row.release();
  CHECK(db.until([&] { return db.pool.stats().abandoned == 0; }));
}
