// Tests heartbeats on the real schema: signals, deadlines, and what is kept of them.
#include "heartbeat_fixture.hpp"

#include "support/together.hpp"
#include "svc/core/hash.hpp"
#include "svc/store/jobs/variable_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;

namespace {

using heartbeats::signal_kind;

constexpr std::int64_t ping_period = 3600;

}  // namespace

TEST_CASE("a heartbeat's signals are counted and kept, and its verdict follows them") {
  beating_shop db;
  auto const id = db.make_heartbeat();
  CHECK(db.status(id) == "pending");
  auto const planned = db.view(id);
  REQUIRE(planned.expected_at);
  CHECK(*planned.deadline_at - *planned.expected_at == std::chrono::seconds(300));
  CHECK_FALSE(planned.last_ping_at);

  auto const run = uuid::generate_v7();
  CHECK(db.ping(id, {signal_kind::start, {}}, run));
  CHECK(db.view(id).running == 1);
  CHECK(db.status(id) == "pending");
  db.as_owner(
      "UPDATE heartbeats SET runs = jsonb_set(runs, '{0,started}', to_jsonb((runs->0->>'started')::bigint - "
      "5000000))");
  CHECK(db.ping(id, {}, run));
  CHECK(db.status(id) == "up");
  auto const seen = db.view(id);
  CHECK(seen.running == 0);
  CHECK(*seen.last_duration_ms >= 5000);
  CHECK(seen.expected_at > planned.expected_at);

  CHECK(db.ping(id, {signal_kind::log, {}}, {}, "half"));
  CHECK(db.ping(id, {signal_kind::failure, 3}));
  CHECK(db.status(id) == "down");
  CHECK(db.get(id).reason == "The work ended with exit code 3.");
  CHECK(list_alerts(db) == "monitor_failure/0/pending");
  CHECK(db.ping(id));
  CHECK(db.status(id) == "up");
  CHECK(list_alerts(db) == "monitor_failure/0/pending monitor_recovery/0/pending");

  auto const kept = db.wait(db.hearts.pings(id, 10, db.soon()));
  REQUIRE(kept.size() == 5);
  CHECK(kept[1].signal == "fail");
  CHECK(kept[1].exit_code == 3);
  CHECK(kept[2].body == "half");
  CHECK(kept[3].run == run);
  CHECK(*kept[3].duration_ms >= 5000);
  CHECK(db.rows("check_raw") == 3);
  CHECK_FALSE(db.ping(uuid::generate_v7()));
}

TEST_CASE("a missing heartbeat is reported once for each due time, and its outage ends with the next one") {
  beating_shop db;
  auto const id = db.make_heartbeat();
  db.ping(id);
  CHECK(db.evaluate() == 0);
  db.shift(ping_period + 200);
  CHECK(db.evaluate() == 0);
  db.shift(101);
  CHECK(db.evaluate() == 0);
  db.shift(store::listening_age.count());
  CHECK(db.evaluate() == 1);
  CHECK(db.status(id) == "down");
  CHECK(db.words("SELECT cause::text FROM outages") ==
        std::to_string(static_cast<int>(checks::code::heartbeat_missed)));
  CHECK(db.evaluate() == 0);
  CHECK(db.rows("check_raw") == 2);
  db.shift(ping_period);
  CHECK(db.evaluate() == 1);
  CHECK(db.rows("check_raw") == 3);
  CHECK(db.rows("outages") == 1);
  CHECK(db.ping(id));
  CHECK(db.status(id) == "up");
  CHECK(db.words("SELECT end_reason FROM outages") == "recovered");
  CHECK(list_alerts(db) == "monitor_failure/0/pending monitor_recovery/0/pending");
  // Silence between two deadlines is no error, however many intervals it lasts.
  db.as_owner("UPDATE monitor_status SET look_at = clock_timestamp()");
  CHECK(db.wait(db.checks.look(db.soon())) >= 0);
  CHECK(db.status(id) == "up");
}

TEST_CASE("instances that judge at once give each due time one vote") {
  beating_shop db;
  std::vector<uuid> ids;
  for (int i = 0; i < 30; ++i) ids.push_back(db.make_heartbeat());
  db.shift(ping_period + 310);
  db.blind_for(0);
  together(3, [&](int) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url())});
    pool.start();
    store::heartbeat_store mine(pool, db.master);
    for (int i = 0; i < 3; ++i) run_task(io, mine.evaluate(db.soon()));
    pool.stop();
  });
  while (db.evaluate() > 0) {
  }
  CHECK(db.rows("check_raw") == 30);
  CHECK(db.rows("outages WHERE ended_at IS NULL") == 30);
  CHECK(db.rows("alerts") == 30);
}

TEST_CASE("an edit, a pause and a return plan a heartbeat again") {
  beating_shop db;
  auto const id = db.make_heartbeat();
  db.ping(id);
  auto const before = db.view(id);
  edit_monitor(
      db, id, [](monitor_settings& set) { set.config = R"({"schedule":{"everySeconds":7200},"graceSeconds":300})"; });
  CHECK(db.evaluate() == 1);
  CHECK(db.view(id).expected_at > before.expected_at);
  CHECK(db.status(id) == "up");

  edit_monitor(db, id, [](monitor_settings& set) { set.enabled = false; }, "paused");
  CHECK(db.evaluate() == 1);
  CHECK_FALSE(db.view(id).expected_at);
  CHECK(db.number({{"asleep", "SELECT count(*) FROM heartbeats WHERE deadline_at IS NOT NULL"}}) == 0);
  // The signal is kept, without effect.
  CHECK(db.ping(id, {signal_kind::failure, {}}));
  CHECK(db.status(id) == "paused");
  CHECK(db.rows("outages") == 0);
  CHECK(db.wait(db.hearts.pings(id, 10, db.soon())).size() == 2);

  edit_monitor(db, id, [](monitor_settings& set) { set.enabled = true; }, "resumed");
  // The next ping also does it, if it arrives first.
  CHECK(db.ping(id));
  CHECK(db.status(id) == "up");
  CHECK(db.view(id).expected_at);
  db.shift(7200 + 310);
  CHECK(db.evaluate() == 1);
  CHECK(db.status(id) == "down");
}

TEST_CASE("beats of one turn share a transaction") {
  beating_shop db;
  std::vector<uuid> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(db.make_heartbeat());
  auto const before = db.pool.stats().transactions;
  int taken = 0;
  auto const send = [](beating_shop& shop, uuid id, int& count) -> task<> {
    count += co_await shop.hearts.take({.monitor = id}, shop.soon()) ? 1 : 0;
  };
  auto const all = [](asio::io_context& io, std::vector<task<>> tasks, int& count, int wanted) -> task<> {
    for (auto& each : tasks) asio::co_spawn(io, std::move(each), asio::detached);
    steady_timer pause(io);
    while (count < wanted) {
      pause.expires_after(std::chrono::milliseconds(1));
      co_await pause.async_wait(awaiting);
    }
  };
  std::vector<task<>> tasks;
  for (auto const& id : ids) tasks.push_back(send(db, id, taken));
  // Two pings of one monitor follow each other.
  tasks.push_back(send(db, ids[0], taken));
  db.wait(all(db.io, std::move(tasks), taken, 21));
  CHECK(db.pool.stats().transactions - before <= 3);
  CHECK(db.rows("heartbeat_beats") == 21);
  for (auto const& id : ids) CHECK(db.status(id) == "up");
}

TEST_CASE("the last thousand beats are kept, and the beginning of a body without secrets") {
  beating_shop db;
  auto const id = db.make_heartbeat();
  db.as_owner(
      "INSERT INTO heartbeat_beats (monitor_id, number, at, signal) SELECT '" + id.to_string() +
      "', i, clock_timestamp(), 'success' FROM generate_series(1, 1000) i; UPDATE heartbeats SET beats = 1000");
  db.ping(id);
  CHECK(db.rows("heartbeat_beats") == 1000);
  CHECK(db.number({{"oldest", "SELECT min(number) FROM heartbeat_beats"}}) == 2);

  store::variable_store variables{db.pool, db.master};
  REQUIRE(
      db.wait(variables.create(db.as_ed(), {"API_KEY", secret_string("correct-horse-battery"), true, {}}, db.soon()))
          .has_value());
  std::string body = "key correct-horse-battery\nsecond line \xff ";
  body.push_back('\0');
  db.ping(id, {}, {}, body);
  CHECK(db.wait(db.hearts.pings(id, 1, db.soon())).front().body == "key ***\nsecond line \xef\xbf\xbd \xef\xbf\xbd");
  db.ping(id, {}, {}, std::string(100'000, 'x'));
  CHECK(db.wait(db.hearts.pings(id, 1, db.soon())).front().body.size() == store::longest_ping_body);

  // The project has more secrets than the service looks for.
  REQUIRE(db.wait(variables.create(db.as_ed(), {"LONG", secret_string(std::string(4200, 's')), true, {}}, db.soon()))
              .has_value());
  db.ping(id, {}, {}, "said");
  CHECK(db.wait(db.hearts.pings(id, 1, db.soon())).front().body.empty());
  // A secret that does not open loses the body, not the ping.
  db.as_owner("UPDATE variables SET sealed = sealed || 'x'");
  db.ping(id, {}, {}, "key correct-horse-battery");
  CHECK(db.number({{"beats", "SELECT max(number) FROM heartbeat_beats"}}) == 1005);
  CHECK(db.wait(db.hearts.pings(id, 1, db.soon())).front().body.empty());
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), id, db.soon()))));
  CHECK(db.rows("heartbeat_beats") == 0);
}

TEST_CASE("a heartbeat that reaches its thousand beats deletes its own oldest ones, and none of another heartbeat") {
  beating_shop db;
  auto const full = db.make_heartbeat(), other = db.make_heartbeat();
  for (auto const& id : {full, other})
    for (int i = 0; i < 3; ++i) REQUIRE(db.ping(id));
  auto const numbers = [&](uuid id) {
    return db.words("SELECT string_agg(number::text, ' ' ORDER BY number) FROM heartbeat_beats WHERE monitor_id = '" +
                    id.to_string() + "'");
  };
  db.as_owner("UPDATE heartbeats SET beats = 1001 WHERE monitor_id = '" + full.to_string() + "'");
  REQUIRE(db.ping(full));
  CHECK(numbers(full) == "3 1002");
  CHECK(numbers(other) == "1 2 3");
}

TEST_CASE("bodies of heartbeats are kept of the newest beats, in equal shares of the project's monitors") {
  beating_shop db;
  auto const id = db.make_heartbeat();
  auto const bodies = [&](std::string const& more = "") {
    return db.rows("heartbeat_beats WHERE body IS NOT NULL" + more);
  };
  db.as_owner(
      "INSERT INTO heartbeat_beats (monitor_id, number, at, signal, body) SELECT '" + id.to_string() +
      "', i, clock_timestamp(), 'success', 'said' FROM generate_series(1, 200) i; UPDATE heartbeats SET beats = 200");
  db.ping(id, {}, {}, "said");
  CHECK(bodies() == 201);
  auto const as_if = [&](std::int64_t monitors) {
    db.as_owner("UPDATE project_usage SET used = " + std::to_string(monitors) + " WHERE kind = 'monitors'");
  };
  as_if(store::most_bodies_of_project / 100);
  db.ping(id);
  CHECK(bodies() == 201);
  db.ping(id, {}, {}, "said");
  CHECK(bodies() == 99);
  CHECK(bodies(" AND number = 203") == 1);
  as_if(store::most_bodies_of_project);
  db.ping(id, {}, {}, "said");
  CHECK(bodies() == store::least_bodies - 1);
  CHECK(db.rows("heartbeat_beats") == 204);
}

TEST_CASE("late heartbeats and keys are found by indexes") {
  beating_shop db;
  db.as_owner(
      "INSERT INTO monitors (id, project_id, name, type, frequency_minutes, attempts_seconds, created_by)"
      " SELECT gen_random_uuid(), '" +
      db.project.to_string() + "', 'beat ' || i, 'heartbeat', 1, 30, '" + db.ed.to_string() +
      "' FROM generate_series(1, 5000) i;"
      "INSERT INTO heartbeats (monitor_id, deadline_at) SELECT id, now() + interval '1 hour' FROM monitors;"
      "INSERT INTO heartbeat_keys (digest, monitor_id, sealed, key_id)"
      " SELECT sha256(id::text::bytea), id, '', gen_random_uuid() FROM monitors; ANALYZE");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::heartbeat_store hearts(pool, db.master);
  db.wait(hearts.listen({}, db.soon()));
  CHECK(db.wait(hearts.evaluate(db.soon())) == 0);
  CHECK_FALSE(db.wait(hearts.find(sha256("nobody's"), db.soon())));
  db.as_owner(
      "UPDATE heartbeats SET deadline_at = now() - interval '4 s' WHERE monitor_id = (SELECT "
      "min(monitor_id::text)::uuid FROM "
      "heartbeats)");
  CHECK(db.wait(hearts.evaluate(db.soon())) == 1);
  std::vector<plan_case> const cases{{"heartbeats_late", "10", {"heartbeats_due"}},
                                     {"heartbeats_take_late", "50, now()", {"heartbeats_due"}},
                                     {"beat_key_find", "sha256('x')", {"heartbeat_keys_pkey"}}};
  db.check_plans(pool, cases, [](plan_case const&, std::string const&) {});
}
