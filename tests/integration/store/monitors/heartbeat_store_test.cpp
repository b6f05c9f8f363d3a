// Tests heartbeats on the real schema: signals, deadlines, keys, and time in which nobody listened.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "support/together.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/token.hpp"
#include "svc/store/heartbeats/heartbeat_store.hpp"
#include "svc/store/jobs/variable_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;

namespace {

using heartbeats::signal_kind;

struct beating_shop : watched_shop {
  store::heartbeat_store hearts{pool, master};

  uuid make_heartbeat(std::string config = R"({"schedule":{"everySeconds":3600},"graceSeconds":300})") {
    auto set = wanted("backup");
    set.type = "heartbeat";
    set.target.reset();
    set.frequency_seconds.reset();
    set.config = std::move(config);
    auto const id = make_monitor(std::move(set)).id;
    CHECK(evaluate() == 1);
    return id;
  }
  std::optional<std::chrono::seconds> listen(std::optional<timestamp> unheard_since = {}) {
    return wait(hearts.listen(unheard_since, soon())).blind_window;
  }
  /// Evaluates as an instance that listens does.
  std::int64_t evaluate() {
    blind_for(0);
    return wait(hearts.evaluate(soon()));
  }
  bool ping(uuid id, heartbeats::signal signal = {}, std::optional<uuid> run = {}, std::string body = {}) {
    return wait(hearts.take({id, signal, run, std::move(body)}, soon()));
  }
  store::heartbeat_view view(uuid id) { return *wait(hearts.get(project, id, soon())); }
  /// Moves everything back by that many seconds.
  void shift(std::int64_t seconds) {
    auto const name = " - interval '" + std::to_string(seconds) + " s'";
    as_owner("UPDATE heartbeats SET due_at = due_at" + name + ", started_at = started_at" + name +
             ", deadline_at = deadline_at" + name + ", last_beat_at = last_beat_at" + name);
  }
  /// Records that nobody has listened for that many seconds until now.
  void blind_for(std::int64_t seconds) {
    as_owner("UPDATE heartbeat_listening SET heard_at = clock_timestamp() - interval '" + std::to_string(seconds) +
             " s'");
  }
  std::string status(uuid id) { return std::string(get(id).status()); }
};

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

TEST_CASE("nothing is judged while nobody listens, nor before it could be said again") {
  beating_shop db;
  auto const id = db.make_heartbeat(R"({"schedule":{"everySeconds":60},"graceSeconds":60})");
  db.ping(id);
  // All instances were away for ten minutes: the deadline lies in that time.
  db.shift(600);
  db.blind_for(600);
  CHECK(db.wait(db.hearts.evaluate(db.soon())) == 0);
  auto const blind = db.listen();
  REQUIRE(blind);
  CHECK(blind->count() >= 600);
  CHECK_FALSE(db.listen());
  CHECK(db.evaluate() == 1);
  CHECK(db.status(id) == "up");
  // The deadline is a period and the grace from now.
  CHECK(db.number({{"left", "SELECT extract(epoch FROM deadline_at - clock_timestamp())::bigint FROM heartbeats"}}) >
        60);
  CHECK(db.ping(id));
  CHECK(db.status(id) == "up");
  CHECK(db.rows("outages") == 0);

  SUBCASE("another such time soon after belongs to the first") {
    db.shift(700);
    db.as_owner(
        "UPDATE heartbeat_listening SET deaf_from = deaf_from - interval '700 s', deaf_to = deaf_to - interval '700 "
        "s'");
    db.blind_for(300);
    db.listen();
    CHECK(db.number({{"merged", "SELECT extract(epoch FROM deaf_to - deaf_from)::bigint FROM heartbeat_listening"}}) >
          1200);
    CHECK(db.evaluate() == 1);
    CHECK(db.status(id) == "up");
  }
  SUBCASE("who stays away is down when the time is over") {
    db.as_owner(
        "UPDATE heartbeats SET due_at = clock_timestamp() - interval '300 s', deadline_at = clock_timestamp() - "
        "interval '4 s'");
    db.as_owner(
        "UPDATE heartbeat_listening SET deaf_from = clock_timestamp() - interval '320 s',"
        " deaf_to = clock_timestamp() - interval '125 s'");
    CHECK(db.evaluate() == 1);
    CHECK(db.status(id) == "down");
  }
}

TEST_CASE("a blind window starts with the last record of any instance, or of one whose attempts failed since") {
  beating_shop db;
  auto const age = store::listening_age.count();
  db.blind_for(age - 1);
  CHECK_FALSE(db.listen());
  db.blind_for(age + 1);
  CHECK(db.listen()->count() >= age);

  auto const mine = db.wait(db.hearts.listen({}, db.soon())).heard_at;
  db.as_owner("UPDATE heartbeat_listening SET deaf_from = NULL, deaf_to = NULL");
  // Another instance has listened since, but it may have missed an absence between two of its records.
  CHECK_FALSE(db.listen());
  CHECK(db.listen(mine));
  CHECK(db.number({{"from", "SELECT (extract(epoch FROM deaf_from) * 1000000)::bigint FROM heartbeat_listening"}}) ==
        mine.micros);
  CHECK(db.number({{"to", "SELECT count(*) FROM heartbeat_listening WHERE deaf_to = heard_at"}}) == 1);
}

TEST_CASE("a heartbeat that was lost in an absence of a second is late only when it could have been repeated") {
  beating_shop db;
  auto const id = db.make_heartbeat(R"({"schedule":{"everySeconds":30},"graceSeconds":0})");
  db.ping(id);
  db.shift(20);
  auto const before = db.wait(db.hearts.listen({}, db.soon())).heard_at;
  CHECK(db.listen(before));
  // Eleven seconds later the heartbeat is late.
  db.as_owner(
      "UPDATE heartbeat_listening SET deaf_from = deaf_from - interval '15 s', deaf_to = deaf_to - interval '15 s'");
  db.shift(15);
  CHECK(db.evaluate() == 1);
  CHECK(db.status(id) == "up");
  db.shift(30);
  db.as_owner(
      "UPDATE heartbeat_listening SET deaf_from = deaf_from - interval '30 s', deaf_to = deaf_to - interval '30 s'");
  CHECK(db.evaluate() == 1);
  CHECK(db.status(id) == "down");
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

TEST_CASE("keys of heartbeats are found by their digests, replaced, and stored nowhere as they are") {
  beating_shop db;
  auto const id = db.make_heartbeat();
  auto const key_of = [&] { return std::string(db.wait(db.hearts.key_of(db.project, id, db.soon()))->reveal()); };
  auto const find = [&](std::string const& key) { return db.wait(db.hearts.find(sha256(key), db.soon())); };
  auto const first = key_of();
  CHECK(read_ping_key(first).has_value());
  CHECK(key_of() == first);
  CHECK(find(first)->monitor == id);
  CHECK_FALSE(find(first)->only_post);
  CHECK_FALSE(find(std::string(mint_ping_key().key.reveal())));
  CHECK(failure(db.wait(db.hearts.key_of(db.other_project, id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.hearts.key_of(db.project, db.make_monitor().id, db.soon()))) == errc::not_found);

  auto const rotate = [&](store::editor editor, int seconds) {
    return db.wait(db.hearts.rotate_key(std::move(editor), id, std::chrono::seconds(seconds), db.soon()));
  };
  CHECK(failure(rotate(db.elsewhere(), 60)) == errc::not_found);
  CHECK(failure(rotate(db.as_ed({{9}}), 60)) == errc::precondition_failed);
  std::string const second(rotate(db.as_ed(), 60)->reveal());
  CHECK(key_of() == second);
  CHECK(find(first));
  CHECK(find(second));
  db.as_owner("UPDATE heartbeat_keys SET ends_at = ends_at - interval '61 s' WHERE ends_at IS NOT NULL");
  CHECK_FALSE(find(first));
  std::string const third(rotate(db.as_ed(), 0)->reveal());
  CHECK_FALSE(find(second));
  CHECK(db.rows("heartbeat_keys") == 1);
  CHECK(db.audit_rows("monitor.key_rotated") == 2);

  // That many former keys can work, however often the key is rotated.
  std::string newest;
  for (int i = 0; i < store::heartbeat_store::most_former_keys; ++i) newest = rotate(db.as_ed(), 600 + i)->reveal();
  CHECK(find(third));
  CHECK(db.rows("heartbeat_keys") == store::heartbeat_store::most_former_keys + 1);
  newest = rotate(db.as_ed(), 700)->reveal();
  CHECK_FALSE(find(third));
  CHECK(db.rows("heartbeat_keys") == store::heartbeat_store::most_former_keys + 1);

  edit_monitor(db, id,
               [](monitor_settings& set) { set.config = R"({"schedule":{"everySeconds":60},"methods":"post"})"; });
  CHECK(find(newest)->only_post);
  for (char const* table : {"heartbeat_keys", "heartbeats", "monitors", "audit_log"}) {
    for (auto const& key : {first, second, third}) {
      CHECK(db.rows(std::string(table) + " t WHERE position('" + key.substr(9) + "' IN t::text) > 0") == 0);
    }
  }
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), id, db.soon()))));
  CHECK_FALSE(find(third));
  CHECK(failure(db.wait(db.hearts.key_of(db.project, id, db.soon()))) == errc::not_found);
}

TEST_CASE("two that ask for the first key get the same") {
  beating_shop db;
  auto const id = db.make_heartbeat();
  std::array<std::string, 3> keys;
  together(3, [&](int i) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url())});
    pool.start();
    master_keys master{{sealer(secret_bytes(32, 7))}};
    store::heartbeat_store mine(pool, master);
    keys[static_cast<std::size_t>(i)] = run_task(io, mine.key_of(db.project, id, db.soon()))->reveal();
    pool.stop();
  });
  CHECK(keys[0] == keys[1]);
  CHECK(keys[1] == keys[2]);
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
