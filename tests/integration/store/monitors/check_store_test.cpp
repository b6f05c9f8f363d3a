// Results into votes, verdicts, outages and alerts, by statements that may race with each other and with edits.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "support/comes_true.hpp"
#include "support/together.hpp"
#include "svc/core/failpoint.hpp"

using namespace svc;
using namespace svc::test;
using checks::status;

namespace {

/// Between two slots. Votes are of the last three minutes, so that they are fresh while a test runs.
constexpr std::int64_t interval = 1'000;

}  // namespace

TEST_CASE("a result counts once for its slot, by the statement that does not wait") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  auto fate = db.decide(db.result_at(id, 0));
  REQUIRE(fate.counted);
  CHECK(db.get(id).verdict == "up");
  auto const known = *fate.knows;
  CHECK(db.count(known, db.result_at(id, interval)));
  // The same again, from what was known before, and from what is known now.
  CHECK_FALSE(db.count(known, db.result_at(id, interval)));
  auto const now = db.watched(id).knows;
  CHECK(now.revision == known.revision + 1);
  CHECK(now.state.oks == 2);
  CHECK_FALSE(db.count(now, db.result_at(id, interval)));
  CHECK(db.count(now, db.result_at(id, 2 * interval)));
  CHECK(db.rows("check_raw") == 3);
  fate = db.decide(db.result_at(id, 2 * interval));
  CHECK_FALSE(fate.counted);
  CHECK(fate.knows->revision == now.revision + 1);
}

TEST_CASE("a counted result leaves its response time, or none, with the counts of its location") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  auto const stored = [&] {
    return db.words("SELECT coalesce(response_ms::text, 'none') FROM check_states WHERE monitor_id = '" +
                    id.to_string() + "'");
  };
  REQUIRE(db.decide(db.result_at(id, 0)).counted);
  auto result = db.result_at(id, interval);
  result.kept.response_time_ms = 1234;
  REQUIRE(db.count(db.watched(id).knows, result));
  CHECK(stored() == "1234");
  result = db.result_at(id, 2 * interval);
  result.kept.response_time_ms.reset();
  REQUIRE(db.count(db.watched(id).knows, result));
  CHECK(stored() == "none");
}

TEST_CASE("results of two holders of a shard for the same slots count once") {
  watched_shop db;
  std::vector<uuid> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(db.make_monitor().id);
  std::atomic<int> counted = 0;
  together(3, [&](int) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url())});
    pool.start();
    store::check_store mine(pool);
    for (std::int64_t slot = 0; slot < 10; ++slot) {
      // Every third slot the target is down, so that both ways are taken.
      auto const ended = slot % 3 == 2 ? status::down : status::up;
      std::vector<store::arrived_result> results;
      for (auto const& id : ids) results.push_back(db.result_at(id, slot * interval, ended));
      auto known = run_task(io, mine.read(
                                    [] {
                                      std::vector<std::int64_t> all(64);
                                      for (int i = 0; i < 64; ++i) all[static_cast<std::size_t>(i)] = i;
                                      return all;
                                    }(),
                                    db.soon()));
      std::vector<store::counted_result> fast;
      std::vector<store::arrived_result> slow;
      for (auto& each : results) {
        auto const found = std::ranges::find(known, each.monitor, &store::watched_monitor::id);
        auto const& k = found->knows;
        auto voted = store::result_of_location(k, each);
        if (alerting::must_decide(k.status, k.state, voted.after)) {
          slow.push_back(each);
        } else {
          fast.push_back(std::move(voted));
        }
      }
      auto const done = run_task(io, mine.count(fast, db.soon()));
      for (std::size_t i = 0; i < fast.size(); ++i) {
        if (done[i]) {
          ++counted;
        } else {
          slow.push_back(fast[i].result);
        }
      }
      for (auto const& each : run_task(io, mine.decide(slow, db.soon()))) counted += each.counted ? 1 : 0;
    }
    pool.stop();
  });
  CHECK(counted == db.rows("check_raw"));
  CHECK(db.number({{"slots_twice",
                    "SELECT count(*) FROM (SELECT FROM check_raw GROUP BY monitor_id, started_ms"
                    " HAVING count(*) > 1) t"}}) == 0);
  // Three outages at most each: slots that a slower scheduler brings late do not count.
  CHECK(db.number({{"outages_open", "SELECT count(*) FROM outages WHERE ended_at IS NULL"}}) == 0);
  CHECK(db.number({{"unequal_alerts",
                    "SELECT count(*) FROM outages o WHERE (SELECT count(*) FROM alerts a WHERE a.about = o.id"
                    " AND a.type = 'monitor_failure') <> 1 OR (SELECT count(*) FROM alerts a WHERE a.about = o.id AND"
                    " a.type = 'monitor_recovery') <> 1"}}) == 0);
  CHECK(db.rows("outages") > 0);
}

TEST_CASE("results lock their rows in the order of the key, whichever lies first in the table") {
  watched_shop db;
  auto first = db.make_monitor().id, last = db.make_monitor().id;
  if (last < first) std::swap(first, last);
  auto const text = "monitor_id = '" + first.to_string() + "'", other = "monitor_id = '" + last.to_string() + "'";
  db.as_owner("WITH moved AS (DELETE FROM check_states WHERE " + text +
              " RETURNING *) INSERT INTO check_states SELECT * FROM moved");
  std::vector<store::counted_result> results;
  for (auto const& id : {last, first})
    results.push_back(store::result_of_location(db.watched(id).knows, db.result_at(id, 0)));
  std::string said;
  std::jthread holder([&] {
    try {
      db.as_owner("SELECT FROM check_states WHERE " + other + " FOR UPDATE;" + until_another_waits +
                  "DO $$BEGIN PERFORM FROM check_states WHERE " + text +
                  " FOR UPDATE SKIP LOCKED; IF FOUND THEN RAISE 'the first is not locked'; END IF; END$$");
    } catch (std::runtime_error const& e) {
      said = e.what();
    }
  });
  auto const is_locked = [&] {
    return db.must({{"state_locked", "SELECT FROM check_states WHERE " + other + " FOR UPDATE SKIP LOCKED"}}).empty();
  };
  CHECK(comes_true(is_locked, std::chrono::seconds(20)));
  CHECK(db.wait(db.checks.count(results, db.soon())) == std::vector{true, true});
  holder.join();
  CHECK(said == "");
}

TEST_CASE("an outage opens, is reported once, and its end is reported to the same providers") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  db.decide(db.result_at(id, 0));
  auto fate = db.decide(db.result_at(id, interval, status::down));
  CHECK(db.get(id).verdict == "down");
  CHECK(db.get(id).reason == "The connection was refused; check that the service listens.");
  CHECK(list_alerts(db) == "monitor_failure/0/pending");
  CHECK(fate.knows->outage_open);
  // More failures of the same outage change nothing, and need no decision.
  CHECK(db.count(*fate.knows, db.result_at(id, 2 * interval, status::down)));
  fate = db.decide(db.result_at(id, 3 * interval));
  CHECK(db.get(id).verdict == "up");
  CHECK_FALSE(fate.knows->outage_open);
  CHECK(list_alerts(db) == "monitor_failure/0/pending monitor_recovery/0/pending");
  CHECK(db.words("SELECT end_reason || ' ' || (ended_at - started_at)::text FROM outages") == "recovered 00:00:02");
  CHECK(db.words("SELECT provider_name || ' ' || target_name FROM alerts") == "hook site hook site");
  CHECK(db.rows("check_failures") == 2);
}

TEST_CASE("thresholds of failures and recoveries count results in a row") {
  watched_shop db;
  auto set = db.wanted();
  set.alert_config->insert(1, R"("failureThreshold":2,"recoveryThreshold":3,)");
  auto const id = db.make_monitor(set).id;
  std::string verdicts;
  for (auto const ended : {status::up, status::down, status::up, status::down, status::timeout, status::up,
                           status::up, status::down, status::up, status::up, status::up}) {
    db.decide(db.result_at(id, interval * static_cast<std::int64_t>(verdicts.size()), ended));
    verdicts += db.get(id).verdict[0];
  }
  CHECK(verdicts ==
        "uuuudddddd"
        "u");
  CHECK(db.rows("outages") == 1);
  // The end too, which comes when the status is up.
  CHECK(list_alerts(db) == "monitor_failure/0/pending monitor_recovery/0/pending");
}

TEST_CASE("nothing that was checked before an edit or a pause counts after it") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  auto const known = *db.decide(db.result_at(id, 0)).knows;
  edit_monitor(db, id, [](monitor_settings& set) { set.config = R"({"method":"HEAD"})"; });
  CHECK_FALSE(db.count(known, db.result_at(id, interval)));
  CHECK_FALSE(db.decide(db.result_at(id, interval, status::down)).counted);
  // The verdict stays, and so do the votes, because the target is the same.
  CHECK(db.get(id).verdict == "up");
  CHECK(db.watched(id).knows.state.says == alerting::location_status::up);
  auto const fate = db.decide(db.result_at(id, interval, status::down, 2));
  CHECK(fate.counted);
  CHECK(db.get(id).verdict == "down");

  edit_monitor(db, id, [](monitor_settings& set) { set.enabled = false; }, "paused");
  CHECK(db.get(id).status() == "paused");
  CHECK(db.words("SELECT end_reason FROM outages") == "paused");
  CHECK(list_alerts(db) == "monitor_failure/0/pending monitor_recovery/0/pending");
  CHECK_FALSE(db.count(*fate.knows, db.result_at(id, 2 * interval, status::down, 2)));
  auto const late = db.decide(db.result_at(id, 2 * interval, status::down, 2));
  CHECK_FALSE(late.counted);
  CHECK_FALSE(late.knows.has_value());

  edit_monitor(db, id, [](monitor_settings& set) { set.enabled = true; }, "resumed");
  CHECK(db.get(id).verdict == "pending");
  CHECK_FALSE(db.decide(db.result_at(id, 2 * interval, status::down, 2)).counted);
  CHECK(db.decide(db.result_at(id, 2 * interval, status::up, 4)).counted);
  CHECK(db.get(id).verdict == "up");
}

TEST_CASE("deleting a monitor ends its outage and notifies those who know of it; its history stays") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  db.decide(db.result_at(id, 0, status::down));
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), id, db.soon()))));
  CHECK(db.words("SELECT end_reason FROM outages") == "deleted");
  CHECK(list_alerts(db) == "monitor_failure/0/pending monitor_recovery/0/pending");
  CHECK_FALSE(db.decide(db.result_at(id, interval, status::down)).knows.has_value());
  CHECK(db.rows("check_raw") == 1);
}

TEST_CASE("a failure that was muted is reported when the mute ends and it still lasts") {
  watched_shop db;
  auto set = db.wanted();
  auto const id = db.make_monitor(set).id;
  db.as_owner("UPDATE monitors SET muted_until = clock_timestamp() + interval '1 hour'");
  db.decide(db.result_at(id, 0, status::down));
  CHECK(list_alerts(db) == "monitor_failure/0/muted");
  CHECK(db.wait(db.checks.look(db.soon())) == 0);
  db.as_owner(
      "UPDATE monitors SET muted_until = clock_timestamp(); UPDATE monitor_status SET look_at = now();"
      "UPDATE check_states SET evidence_at = clock_timestamp(), seen_at = clock_timestamp()");
  CHECK(db.wait(db.checks.look(db.soon())) == 1);
  CHECK(list_alerts(db) == "monitor_failure/0/pending");
  CHECK(db.wait(db.checks.look(db.soon())) == 0);
}

TEST_CASE("an edit that ends a mute reports the muted failure") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  auto const mute = [&](std::optional<timestamp> until) {
    edit_monitor(db, id, [&](monitor_settings& set) { set.muted_until = until; });
    db.wait(db.checks.look(db.soon()));
  };
  mute(system_now() + std::chrono::hours(1));
  db.decide(db.result_at(id, 0, status::down));
  CHECK(list_alerts(db) == "monitor_failure/0/muted");
  mute(std::nullopt);
  CHECK(list_alerts(db) == "monitor_failure/0/pending");
  CHECK(db.get(id).verdict == "down");
}

TEST_CASE("a monitor without results is in error, and a steady one is looked at later") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  db.decide(db.result_at(id, 0));
  auto const look_now = [&] { db.as_owner("UPDATE monitor_status SET look_at = now()"); };
  db.as_owner("UPDATE check_states SET evidence_at = clock_timestamp(), seen_at = clock_timestamp()");
  look_now();
  CHECK(db.wait(db.checks.look(db.soon())) == 0);
  CHECK(db.number({{"look_later", "SELECT count(*) FROM monitor_status WHERE look_at > now() + interval '2 min'"}}) ==
        1);
  db.as_owner(
      "UPDATE check_states SET evidence_at = now() - interval '1 hour', seen_at = now() - interval '1 hour';"
      "UPDATE monitor_status SET since = now() - interval '2 hours'");
  look_now();
  CHECK(db.wait(db.checks.look(db.soon())) == 1);
  CHECK(db.get(id).verdict == "error");
  CHECK(list_alerts(db) == "monitor_error/0/pending");
  auto fresh = db.result_at(id, 0);
  fresh.kept.slot = fresh.kept.started_ms =
      db.number({{"now_ms", "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8"}});
  db.decide(fresh);
  CHECK(db.get(id).verdict == "up");
  CHECK(list_alerts(db) == "monitor_error/0/pending monitor_error/1/pending");
}

TEST_CASE("a decision whose COMMIT was lost leaves nothing, and the same result counts when it is delivered again") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  REQUIRE(failpoint::configure("checks.locked=throw*1"));
  CHECK_THROWS_AS(db.decide(db.result_at(id, 0, status::down)), unavailable);
  CHECK(db.rows("check_raw") + db.rows("outages") + db.rows("alerts") == 0);
  CHECK(db.decide(db.result_at(id, 0, status::down)).counted);
  CHECK_FALSE(db.decide(db.result_at(id, 0, status::down)).counted);
  CHECK(db.rows("check_raw") == 1);
  CHECK(list_alerts(db) == "monitor_failure/0/pending");
}

TEST_CASE("recent changes are reported to the watcher, and so are monitors that are not checked any more") {
  watched_shop db;
  auto const kept = db.make_monitor().id, gone = db.make_monitor().id, old = db.make_monitor().id;
  std::vector<std::int64_t> all(64);
  for (int i = 0; i < 64; ++i) all[static_cast<std::size_t>(i)] = i;
  CHECK(db.wait(db.checks.read(all, db.soon())).size() == 3);
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), gone, db.soon()))));
  db.as_owner("UPDATE monitors SET changed_at = now() - interval '1 minute' WHERE id = '" + old.to_string() + "'");
  auto const news = db.wait(db.checks.changed(all, db.soon()));
  REQUIRE(news.size() == 2);
  for (auto const& each : news) CHECK(each.live == (each.id == kept));
  auto const read = db.wait(db.checks.read_these({kept, gone}, db.soon()));
  REQUIRE(read.size() == 1);
  CHECK(read.front().id == kept);
  auto const reported = std::ranges::find(news, kept, &store::monitor_news::id);
  CHECK(reported->changed_at == read.front().changed_at);
  CHECK(db.wait(db.checks.changed({(kept.bytes[15] & 63) ^ 1}, db.soon())).size() <= 1);
  REQUIRE(db.wait(db.directory.set_archived(db.project, true, db.actor, db.soon())).outcome.has_value());
  auto const archived = db.wait(db.checks.changed(all, db.soon()));
  CHECK(archived.size() == 3);
  CHECK(std::ranges::none_of(archived, &store::monitor_news::live));
  CHECK(db.wait(db.checks.read(all, db.soon())).empty());
  REQUIRE(db.wait(db.directory.set_archived(db.project, false, db.actor, db.soon())).outcome.has_value());
  CHECK(std::ranges::count_if(db.wait(db.checks.changed(all, db.soon())), &store::monitor_news::live) == 2);
  CHECK(db.wait(db.checks.read(all, db.soon())).size() == 2);
}

TEST_CASE("a result that needs no decision waits for one in progress, and does not count during it") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  auto const known = *db.decide(db.result_at(id, 0)).knows;
  REQUIRE(failpoint::configure("checks.locked=delay:700*1"));
  together(2, [&](int i) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url())});
    pool.start();
    store::check_store mine(pool);
    // Connected before, so that what is to happen within the delay does; a longer one is beyond the wait for a lock.
    run_task(io, mine.read({0}, db.soon()));
    if (i == 0) {
      CHECK(run_task(io, mine.decide({db.result_at(id, interval, status::down)}, db.soon())).front().counted);
      return;
    }
    auto const is_locked = [&] {
      postgres::query ask{{"is_locked", "SELECT FROM monitors WHERE id = $1 FOR UPDATE SKIP LOCKED"},
                          postgres::parameters(id)};
      return run_task(io, pool.run(std::move(ask), db.soon())).value().empty();
    };
    CHECK(comes_true(is_locked, std::chrono::seconds(20)));
    CHECK_FALSE(
        run_task(io, mine.count({store::result_of_location(known, db.result_at(id, 2 * interval))}, db.soon()))
            .front());
  });
  CHECK(db.get(id).verdict == "down");
}
