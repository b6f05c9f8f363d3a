// A standby is promoted, and sessions leave the former primary, whatever that goes on doing.
#include "fixture.hpp"
#include "support/replicated_postgres.hpp"
#include "support/store_probe.hpp"
#include "support/temporary_directory.hpp"
#include "svc/postgres/primary_watch.hpp"

#include <boost/asio/detached.hpp>

#include <filesystem>
#include <future>

using namespace svc;
using namespace svc::test;

namespace {

postgres::query const who_am_i{
    {"who_am_i", "SELECT pg_is_in_recovery(), left(pg_walfile_name(pg_current_wal_lsn()), 8)"}};

/// A pool and the watch of its instance, in one thread.
struct client {
  explicit client(std::string const& url)
      : settings{.url = secret_string(url), .size = 4},
        pool(io, settings),
        watch(io, settings, [this](postgres::primary_server const& where) { pool.follow(where); }) {
    watch.start();
    pool.start();
  }
  ~client() {
    watch.stop();
    pool.stop();
  }
  std::string timeline() { return std::string(run_task(io, pool.run(who_am_i, database::soon()))->front().text(1)); }
  bool until(std::function<bool()> const& condition, milliseconds limit = std::chrono::seconds(10)) {
    auto const end = steady::now() + limit;
    bool holds = condition();
    for (io.restart(); !holds && steady::now() < end; holds = condition()) io.run_one_for(milliseconds(10));
    return holds;
  }

  asio::io_context io{1};
  postgres::settings settings;
  postgres::pool pool;
  postgres::primary_watch watch;
};

/// A session whose client has gone ends with its statement.
std::string sessions_on(private_postgres const& server) {
  return ask_postgres(
      server.url(),
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'svcd' AND state <> 'active'")[0][0];
}

task<> sleep_into(postgres::pool& pool, std::string& ended) {
  try {
    co_await pool.run(postgres::query{{"sleep", "SELECT pg_sleep(60)"}}, deadline::after(std::chrono::seconds(60)));
    ended = "answered";
  } catch (unavailable const& e) {
    ended = e.what();
  }
}

}  // namespace

TEST_CASE(
    "a former primary that continues as one loses its sessions within two seconds, idle, busy or in a transaction") {
  replicated_postgres both(replicated_postgres::commits::asynchronous);
  client client(both.url());
  REQUIRE(client.timeline() == "00000001");
  // One is idle, one is in a transaction, one waits for an answer.
  std::string ended;
  asio::co_spawn(client.io, sleep_into(client.pool, ended), asio::detached);
  auto unit = run_task(client.io, client.pool.begin(database::soon()));
  run_task(client.io, unit.run(who_am_i)).value();
  {
    auto other = run_task(client.io, client.pool.begin(database::soon()));
    run_task(client.io, other.run(who_am_i)).value();
  }
  REQUIRE(client.until([&] { return sessions_on(both.primary()) == "2"; }));
  both.primary().freeze();
  both.promote();
  both.primary().thaw();
  auto const promoted = steady::now();
  REQUIRE(client.until([&] { return !ended.empty() && sessions_on(both.primary()) == "0"; }));
  CHECK(steady::now() - promoted < std::chrono::seconds(2));
  CHECK(ended.find("a former primary: it writes timeline 1, and timeline 2 exists") != ended.npos);
  CHECK_THROWS_AS(run_task(client.io, unit.run(who_am_i)), unavailable);
  CHECK(client.timeline() == "00000002");
  CHECK(client.pool.healthy());
  // The old one is away for a moment, and the new one: nothing goes back.
  both.standby().stop();
  REQUIRE(client.until([&] { return !client.pool.healthy(); }));
  std::string reason;
  CHECK(client.until([&] {
    try {
      run_task(client.io, client.pool.run(who_am_i, deadline::after(milliseconds(500))));
    } catch (unavailable const& e) {
      reason = e.what();
    }
    return reason.find("a former primary") != reason.npos;
  }));
  CAPTURE(reason);
  // A connection that is being refused exists for a moment.
  CHECK(client.until([&] { return sessions_on(both.primary()) == "0"; }));
  both.standby().start();
  REQUIRE(client.until([&] { return client.pool.healthy(); }));
  CHECK(client.timeline() == "00000002");
}

TEST_CASE("the primary is killed and the standby promoted: the next session is there at once") {
  replicated_postgres both(replicated_postgres::commits::synchronous);
  client client(both.url());
  REQUIRE(client.timeline() == "00000001");
  both.primary().kill();
  both.promote();
  auto const promoted = steady::now();
  std::string timeline;
  REQUIRE(client.until([&] {
    try {
      timeline = client.timeline();
    } catch (unavailable const&) {
    }
    return !timeline.empty();
  }));
  CHECK(timeline == "00000002");
  CHECK(steady::now() - promoted < std::chrono::seconds(2));
}

TEST_CASE("a process of a single command finds the primary although a former one runs") {
  replicated_postgres both(replicated_postgres::commits::asynchronous);
  both.promote();
  postgres::look_around const seen({.url = secret_string(both.url())}, std::chrono::seconds(5));
  REQUIRE(seen.primary);
  CHECK(seen.primary->server == 1);
  CHECK(seen.servers[0].identity.timeline == 1);
  CHECK(seen.servers[0].identity.system == seen.servers[1].identity.system);
}

TEST_CASE("a name that leads to a promoted standby: sessions on the former primary end with the first new one") {
  replicated_postgres both(replicated_postgres::commits::asynchronous);
  temporary_directory const directory;
  auto const name = directory.path() + "/db";
  std::filesystem::create_directory_symlink(both.primary().directory(), name);
  client client("postgresql://svc@/postgres?host=" + name);
  auto held = run_task(client.io, client.pool.begin(database::soon()));
  run_task(client.io, held.run(who_am_i)).value();
  both.promote();
  std::filesystem::remove(name);
  std::filesystem::create_directory_symlink(both.standby().directory(), name);
  CHECK(client.timeline() == "00000002");
  CHECK_THROWS_AS(run_task(client.io, held.run(who_am_i)), unavailable);
  CHECK(client.until([&] { return sessions_on(both.primary()) == "0"; }));
}

TEST_CASE("a session that was still being opened when another one found the next timeline is not lent") {
  replicated_postgres both(replicated_postgres::commits::asynchronous);
  temporary_directory const directory;
  auto const name = directory.path() + "/db";
  std::filesystem::create_directory_symlink(both.primary().directory(), name);
  asio::io_context io{1};
  // Entering the first timeline waits for a lock, so a session of it stays between its check and its first use.
  postgres::pool holder(
      io, {.url = secret_string(both.primary().url()), .size = 1, .idle_in_transaction = std::chrono::minutes(1)});
  holder.start();
  auto held = run_task(io, holder.begin(deadline::after(std::chrono::minutes(1))));
  run_task(io, held.run(postgres::query{{"hold", "SELECT 1 FROM pg_advisory_xact_lock(7)"}})).value();
  std::vector<std::int64_t> entered;
  postgres::pool pool(io, {.url = secret_string("postgresql://svc@/postgres?host=" + name),
                           .size = 3,
                           .connect_timeout = std::chrono::minutes(1),
                           .idle_in_transaction = std::chrono::minutes(1),
                           .entry = {{"enter", "SELECT enter_timeline($1, $2)"},
                                     [&](std::int64_t timeline) { entered.push_back(timeline); }}});
  pool.start();
  // A pool that has no session yet opens one at a time. This one enters nothing, because there is no function yet.
  auto busy = run_task(io, pool.begin(deadline::after(std::chrono::minutes(1))));
  run_task(io, busy.run(who_am_i)).value();
  ask_postgres(both.primary().url(),
               "CREATE FUNCTION enter_timeline(int8, int8) RETURNS int8 LANGUAGE sql AS "
               "'SELECT $2 FROM pg_advisory_xact_lock_shared(CASE $2 WHEN 1 THEN 7 ELSE 0 END)'");
  both.wait_until_level();
  std::vector<std::string> timelines;
  auto const ask = [&]() -> task<> {
    try {
      auto const reported = co_await pool.run(who_am_i, deadline::after(std::chrono::minutes(1)));
      timelines.emplace_back(reported->front().text(1));
    } catch (unavailable const& e) {
      timelines.emplace_back(e.what());
    }
  };
  auto const until = [&](auto const& holds) {
    auto const end = steady::now() + std::chrono::seconds(10);
    for (io.restart(); !holds() && steady::now() < end;) io.run_one_for(milliseconds(10));
    return holds();
  };
  asio::co_spawn(io, ask(), asio::detached);
  REQUIRE(until([&] {
    return ask_postgres(both.primary().url(), "SELECT count(*) FROM pg_locks WHERE NOT granted")[0][0] == "1";
  }));
  both.promote();
  std::filesystem::remove(name);
  std::filesystem::create_directory_symlink(both.standby().directory(), name);
  asio::co_spawn(io, ask(), asio::detached);
  REQUIRE(until([&] { return entered.size() == 1; }));
  run_task(io, held.commit()).value();
  REQUIRE(until([&] { return entered.size() == 2; }));
  CHECK(entered == std::vector<std::int64_t>{2, 1});
  REQUIRE(until([&] { return timelines.size() == 2; }));
  run_task(io, ask());
  for (auto const& text : timelines) CHECK(text == "00000002");
  CHECK(until([&] { return sessions_on(both.primary()) == "1"; }));  // the holder's
  CHECK_THROWS_AS(run_task(io, busy.run(who_am_i)), unavailable);
  pool.stop();
  holder.stop();
}
