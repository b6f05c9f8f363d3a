// Alerts that maintenance windows and parents hold back, in the store's transactions.
#include "integration/monitoring/scheduler/watching.hpp"

#include "svc/store/heartbeats/heartbeat_store.hpp"
#include "svc/store/monitors/outage_store.hpp"
#include "svc/store/windows/window_store.hpp"

#include <map>

using namespace svc;
using namespace svc::test;

namespace {

struct held_shop : watching {
  uuid start_window(uuid monitor) {
    auto made = wait(windows.start(as_ed(), ed, monitor, std::chrono::minutes(60), std::nullopt, soon()));
    REQUIRE(made.has_value());
    return made->id;
  }
  void end_window(uuid id) { REQUIRE(wait(windows.end(as_ed(), id, soon())).has_value()); }

  uuid make_named(std::string label, std::vector<uuid> parents = {}) {
    auto set = wanted(std::move(label));
    set.depends_on = std::move(parents);
    return make_monitor(std::move(set)).id;
  }
  result<monitor> set_parents(uuid id, std::vector<uuid> parents) {
    auto const change = [&](monitor const& now) {
      auto out = now.set;
      out.depends_on = parents;
      return result<monitor_settings>(std::move(out));
    };
    return wait(monitors.update(as_ed(), id, change, "updated", soon()));
  }

  /// Answers the open request of the monitor by a check that starts now. Returns false without such a request.
  bool answer(uuid id, checks::status ended) {
    for (auto const& each : wait(requests.open_in({id.bytes[15] & 63}, soon()))) {
      if (each.monitor != id) continue;
      CHECK(each.asked_by == checks::kind::confirm);
      auto found = result_at(id, 0, ended);
      found.kept.started_ms = system_now().micros / 1000 + 1;
      found.request = each.id;
      return decide(std::move(found)).counted;
    }
    return false;
  }
  std::int64_t look() { return wait(checks.look(soon())); }
  /// The suppressions of the failures of a monitor, or their statuses.
  std::string failures_of(uuid id) {
    return words(
        "SELECT coalesce(suppressed_by, status) FROM alerts WHERE type = 'monitor_failure' AND target_id = '" +
        id.to_string() + "' ORDER BY id");
  }

  store::window_store windows{pool};
  store::check_requests requests{pool};
};

}  // namespace

TEST_CASE("a failure in maintenance is recorded, and sent after one more failing check") {
  held_shop db;
  auto const id = db.make_named("site");
  db.decide(db.result_at(id, -70'000));
  auto const window = db.start_window(id);
  auto const covered = db.get(id).maintenance;
  REQUIRE(covered);
  CHECK(covered->id == window);
  CHECK(covered->until > system_now());
  std::map<alerting::suppression, std::size_t> suppressed;
  db.checks.when_suppressed([&](alerting::suppression reason, std::size_t count) { suppressed[reason] += count; });
  // This check started 90 s before the test.
  db.decide(db.result_at(id, -50'000, checks::status::down));
  CHECK(db.failures_of(id) == "maintenance");
  CHECK(suppressed == std::map<alerting::suppression, std::size_t>{{alerting::suppression::maintenance, 1}});
  CHECK(db.rows("monitor_status WHERE quiet_ended_at = 'infinity'") == 1);
  CHECK_FALSE(db.answer(id, checks::status::down));
  db.end_window(window);
  CHECK_FALSE(db.get(id).maintenance);
  CHECK(db.look() == 1);
  CHECK(db.failures_of(id) == "maintenance");
  SUBCASE("a failing check") {
    CHECK(db.answer(id, checks::status::down));
    CHECK(db.failures_of(id) == "pending");
    CHECK(db.rows("monitor_status WHERE quiet_ended_at IS NULL") == 1);
  }
  SUBCASE("a good check") {
    CHECK(db.answer(id, checks::status::up));
    CHECK(db.failures_of(id) == "maintenance");
    CHECK(db.rows("alerts") == 1);
  }
  SUBCASE("no result within the attempts' time") {
    auto const ended_before = [&](char const* time) {
      db.as_owner(
          "UPDATE monitor_status SET look_at = clock_timestamp(), quiet_ended_at = clock_timestamp() - interval '" +
          std::string(time) + "'");
      CHECK(db.look() == 1);
      return db.failures_of(id);
    };
    CHECK(ended_before("50 s") == "maintenance");
    CHECK(ended_before("75 s") == "pending");
  }
}

TEST_CASE("a requested check that started before the end of a window is followed by another one") {
  held_shop db;
  auto const id = db.make_named("site");
  db.decide(db.result_at(id, -70'000));
  auto const window = db.start_window(id);
  db.decide(db.result_at(id, -50'000, checks::status::down));
  auto const asked = db.wait(db.requests.ask(db.as_ed(), id, db.soon()));
  REQUIRE(asked.has_value());
  db.end_window(window);
  auto found = db.result_at(id, 0, checks::status::down);
  found.request = *asked;
  CHECK(db.decide(std::move(found)).counted);
  CHECK(db.failures_of(id) == "maintenance");
  CHECK(db.answer(id, checks::status::down));
  CHECK(db.failures_of(id) == "pending");
}

TEST_CASE("a monitor gets a tag of a window that is active: its failure is not sent") {
  held_shop db;
  auto const id = db.make_named("site");
  db.decide(db.result_at(id, 0));
  auto const tag = uuid::generate_v7();
  db.as_owner("INSERT INTO tags (id, project_id, name, color, slot) VALUES ('" + tag.to_string() + "', '" +
              db.project.to_string() + "', 'db', '#000000', 1)");
  auto const now = system_now();
  windows::window_settings const set{
      .name = "work", .targets = {.tags = {tag}}, .once = windows::single_rule{now, now + std::chrono::hours(1)}};
  REQUIRE(db.wait(db.windows.create(db.as_ed(), db.ed, set, db.soon())).has_value());
  CHECK_FALSE(db.get(id).maintenance);
  auto const changed = db.watched(id).changed_at;
  auto const tagged = db.wait(db.monitors.set_tags(db.as_ed(), id, {tag}, db.soon()));
  REQUIRE(tagged.has_value());
  CHECK(tagged->maintenance);
  CHECK(db.watched(id).changed_at > changed);
  CHECK(db.watched(id).maintenance.times.size() == 1);
  db.decide(db.result_at(id, 20'000, checks::status::down));
  CHECK(db.failures_of(id) == "maintenance");
  db.as_owner("UPDATE monitor_status SET look_at = clock_timestamp() + interval '1 hour'");
  REQUIRE(db.wait(db.monitors.set_tags(db.as_ed(), id, {}, db.soon())).has_value());
  CHECK(db.look() == 1);
  CHECK(db.answer(id, checks::status::down));
  CHECK(db.failures_of(id) == "pending");
}

TEST_CASE("the results of a scheduler in maintenance cover no time, and are flagged") {
  held_shop db;
  auto const id = db.make_named("site");
  db.world.are[id] = checks::status::down;
  scheduler::check_scheduler scheduler(db.parts());
  db.wait(scheduler.hold_shards());
  auto const window = db.start_window(id);
  db.pass(scheduler);
  CHECK(db.words("SELECT covers::text FROM check_raw") == "0");
  store::check_history history(db.pool);
  auto const kept = db.wait(history.results(id, {}, {.most = 5}, db.soon()));
  REQUIRE(kept.size() == 1);
  CHECK(kept.front().result.maintenance);
  // The open outage has no known time, and neither has the period.
  store::outage_store outages(db.pool);
  auto const listed = db.wait(outages.list(db.project, id, {}, {}, db.soon()));
  REQUIRE(listed.rows.size() == 1);
  CHECK(listed.rows[0].excluded_seconds + 1 >= listed.rows[0].duration_seconds);
  auto const now = system_now();
  auto const sum = db.wait(history.sum(id, now + -std::chrono::hours(1), now + std::chrono::hours(1),
                                       store::history_resolution::hour, db.soon()));
  CHECK(sum.sum.observed == 0);
  // The end of the window is news within two seconds.
  db.end_window(window);
  db.wait(scheduler.take_news());
  db.pass_minute({&scheduler}, 1);
  db.wait(scheduler.flush());
  CHECK(db.rows("check_raw WHERE covers > 0") == 1);
  db.wait(scheduler.stop(db.soon()));
}

TEST_CASE("a window that is written during a check leaves the check running") {
  held_shop db;
  auto const id = db.make_named("site");
  db.world.hang = true;
  scheduler::check_scheduler scheduler(db.parts());
  db.pass(scheduler);
  CHECK(scheduler.stats().running == 1);
  auto const window = db.start_window(id);
  db.wait(scheduler.take_news());
  db.end_window(window);
  db.wait(scheduler.take_news());
  db.settle();
  CHECK(scheduler.stats().running == 1);
  CHECK(db.world.cancelled == 0);
  db.wait(scheduler.stop(db.soon()));
}

TEST_CASE("a heartbeat's result covers no time of windows that follow") {
  held_shop db;
  store::heartbeat_store hearts{db.pool, db.master};
  auto set = db.wanted("backup");
  set.type = "heartbeat";
  set.target.reset();
  set.frequency_seconds.reset();
  set.config = R"({"schedule":{"everySeconds":7200},"graceSeconds":0})";
  auto const id = db.make_monitor(std::move(set)).id;
  auto const now = system_now();
  windows::window_settings const work{
      .name = "work",
      .targets = {.all = true},
      .once = windows::single_rule{now + std::chrono::minutes(30), now + std::chrono::minutes(60)}};
  REQUIRE(db.wait(db.windows.create(db.as_ed(), db.ed, work, db.soon())).has_value());
  CHECK(db.wait(hearts.take({id}, db.soon())));
  CHECK(db.words("SELECT covers::text FROM check_raw") == "5400");
}

TEST_CASE("a child waits for its parent, which is checked at once, and is silent while it is down") {
  held_shop db;
  auto const parent = db.make_named("router"), child = db.make_named("shop", {parent});
  db.decide(db.result_at(parent, 0));
  db.decide(db.result_at(child, 0));
  db.decide(db.result_at(child, 20'000, checks::status::down));
  CHECK(db.failures_of(child) == "dependency");
  SUBCASE("the parent is up: the failure is sent at once") {
    CHECK(db.answer(parent, checks::status::up));
    CHECK(db.look() == 1);
    CHECK(db.failures_of(child) == "pending");
    CHECK(db.rows("outages WHERE caused_by IS NOT NULL") == 0);
  }
  SUBCASE("the parent does not answer") {
    db.as_owner(
        "UPDATE outages SET detected_at = detected_at - interval '1 hour';"
        " UPDATE monitor_status SET look_at = clock_timestamp() WHERE verdict = 'down'");
    CHECK(db.look() == 1);
    CHECK(db.failures_of(child) == "pending");
  }
  SUBCASE("the parent is down") {
    CHECK(db.answer(parent, checks::status::down));
    CHECK(db.failures_of(parent) == "pending");
    CHECK(db.look() == 1);
    CHECK(db.failures_of(child) == "dependency");
    CHECK(db.rows("outages c JOIN outages p ON p.id = c.caused_by WHERE p.monitor_id = '" + parent.to_string() +
                  "'") == 1);
    store::outage_store outages(db.pool);
    auto const listed = db.wait(outages.list(db.project, child, {}, {}, db.soon()));
    CHECK(listed.rows.at(0).caused_by == db.get(parent).open_outage);
    auto const end_parent = [&] {
      auto good = db.result_at(parent, 0);
      good.kept.slot = good.kept.started_ms = system_now().micros / 1000;
      CHECK(db.decide(std::move(good)).counted);
      CHECK(db.look() == 1);
    };
    SUBCASE("parent up, child still down") {
      end_parent();
      CHECK(db.failures_of(child) == "dependency");
      CHECK(db.answer(child, checks::status::down));
      CHECK(db.failures_of(child) == "pending");
    }
    SUBCASE("the parent is deleted, and restored") {
      REQUIRE(db.wait(db.monitors.remove(db.as_ed(), parent, db.soon())).has_value());
      CHECK(db.get(child).set.depends_on.empty());
      CHECK(db.look() == 1);
      CHECK(db.answer(child, checks::status::down));
      CHECK(db.failures_of(child) == "pending");
      REQUIRE(db.wait(db.monitors.restore(db.as_ed(), parent, db.soon())).has_value());
      CHECK(db.get(child).set.depends_on == std::vector{parent});
    }
    SUBCASE("the child is up first") {
      auto good = db.result_at(child, 0);
      good.kept.slot = good.kept.started_ms = system_now().micros / 1000;
      CHECK(db.decide(std::move(good)).counted);
      CHECK(db.rows("alerts WHERE target_id = '" + child.to_string() + "'") == 1);
    }
  }
}

TEST_CASE("dependencies form no cycle, and name monitors of the project") {
  held_shop db;
  auto const a = db.make_named("one"), b = db.make_named("two", {a}), c = db.make_named("three", {b, a});
  CHECK(db.get(c).set.depends_on == std::vector{b, a});
  CHECK(failure(db.set_parents(a, {a})) == errc::dependency_cycle);
  CHECK(failure(db.set_parents(a, {c})) == errc::dependency_cycle);
  auto const unknown = db.set_parents(c, {a, uuid::generate_v7()});
  CHECK(failure(unknown) == errc::validation_failed);
  CHECK(fields(unknown) == "/dependsOn/1");
  CHECK(db.get(c).set.depends_on == std::vector{b, a});
  // A deleted monitor may come back, so it still counts.
  REQUIRE(db.wait(db.monitors.remove(db.as_ed(), b, db.soon())).has_value());
  CHECK(failure(db.set_parents(a, {b})) == errc::validation_failed);
  CHECK(failure(db.set_parents(a, {c})) == errc::dependency_cycle);
  CHECK(db.set_parents(c, {}).has_value());
  CHECK(db.set_parents(a, {c}).has_value());
  CHECK(db.get(a).version == 2);
  db.as_owner("DELETE FROM monitors WHERE deleted_at IS NOT NULL");
  CHECK(db.words("SELECT parent_id::text FROM monitor_dependencies") == c.to_string());
}

TEST_CASE("an alert that a newer version suppressed is followed by no recovery") {
  held_shop db;
  auto const id = db.make_named("site");
  db.decide(db.result_at(id, 0, checks::status::down));
  db.as_owner(
      "ALTER TABLE alerts DROP CONSTRAINT alerts_suppressed_by_check;"
      "UPDATE alerts SET status = 'suppressed', suppressed_by = 'of_a_newer_version'");
  CHECK(db.decide(db.result_at(id, 20'000)).counted);
  CHECK(db.get(id).verdict == "up");
  CHECK(db.rows("alerts") == 1);
}

TEST_CASE("a decision reads windows and parents through indexes") {
  held_shop db;
  auto const parent = db.make_named("router"), id = db.make_named("shop", {parent});
  db.fill_monitors(3000);
  auto const window = db.start_window(id);
  auto const quoted = "'" + window.to_string() + "'", project = "'" + db.project.to_string() + "'";
  // Each ten monitors depend on another one.
  db.as_owner(
      "WITH n AS (SELECT id, project_id, row_number() OVER (ORDER BY id) AS place FROM monitors WHERE name LIKE "
      "'site %')"
      " INSERT INTO monitor_dependencies (project_id, monitor_id, parent_id, slot)"
      " SELECT a.project_id, a.id, b.id, 1 FROM n a JOIN n b ON b.place = a.place / 10 + 1 WHERE a.place <> b.place;"
      "INSERT INTO maintenance_occurrences (id, project_id, window_id, starts_at, ends_at, exclude_from_uptime)"
      " SELECT gen_random_uuid(), " +
      project + ", " + quoted +
      ", now() - n * interval '1 hour', now() - n * interval '1 hour' + interval '1 minute', true"
      " FROM generate_series(1, 5000) n; ANALYZE");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::check_store checks(pool);
  CHECK(db.wait(checks.decide({db.result_at(id, 1000, checks::status::down)}, db.soon())).front().counted);
  CHECK(db.wait(checks.read_maintenance({id}, db.soon())).size() == 1);
  auto const ids = "ARRAY['" + id.to_string() + "']::uuid[]";
  std::vector<plan_case> const cases{
      {"verdict_read_parents", ids, {"monitor_dependencies"}},
      {"maintenance_read_ahead", ids + ", 86400, 21600, 64, 64", {"maintenance_occurrences_start_once"}},
      {"verdict_look_at_children", ids, {"monitor_dependencies_of_parent", "monitor_status_pkey"}},
  };
  db.check_plans(pool, cases, [](plan_case const&, std::string const& plan) {
    for (auto const* table : {"Seq Scan on monitors", "Seq Scan on monitor_dependencies",
                              "Seq Scan on monitor_status", "Seq Scan on maintenance_occurrences"}) {
      CHECK(plan.find(table) == std::string::npos);
    }
  });
}
