// Outages as users see them.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/monitors/outage_store.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("outages are listed by time and by being open, with their known facts") {
  watched_shop db;
  store::outage_store outages(db.pool);
  auto const id = db.make_monitor().id;
  std::int64_t position = 0;
  for (auto const ended : {checks::status::down, checks::status::up, checks::status::up, checks::status::timeout}) {
    db.decide(db.result_at(id, 1000 * position++, ended));
  }
  auto const listed = [&](store::outage_filter filter, page_request wanted = {}) {
    return db.wait(outages.list(db.project, id, filter, wanted, db.soon()));
  };
  auto const all = listed({});
  REQUIRE(all.rows.size() == 2);
  CHECK(all.total == 2);
  auto const& open = all.rows[0];
  auto const& over = all.rows[1];
  CHECK_FALSE(open.ended_at.has_value());
  CHECK(open.duration_seconds > 30);
  CHECK(open.excluded_seconds == 0);
  CHECK(open.locations_down == std::vector<std::string>{"local"});
  CHECK(over.end_reason == "recovered");
  CHECK(over.duration_seconds == 1);
  CHECK(over.cause.which == checks::code::connect_refused);
  CHECK(listed({.open = true}).rows.size() == 1);
  CHECK(listed({.open = false}).rows.front().id == over.id);
  CHECK(listed({.end = open.started_at}).rows.front().id == over.id);
  CHECK(listed({.start = over.ended_at}).rows.front().id == open.id);
  auto const first = listed({}, {.limit = 1});
  REQUIRE(first.next.has_value());
  CHECK(listed({}, {.limit = 1, .after = first.next}).rows.front().id == over.id);
  CHECK(db.wait(outages.list(db.other_project, id, {}, {}, db.soon())).rows.empty());
}

TEST_CASE("an outage is acknowledged once, stops its reminders, and not after its end") {
  watched_shop db;
  store::outage_store outages(db.pool);
  auto set = db.wanted();
  set.alert_config->insert(1, R"("reminderMinutes":5,)");
  auto const id = db.make_monitor(set).id;
  db.decide(db.result_at(id, 0, checks::status::down));
  auto const open = *db.get(id).open_outage;
  auto const remind = [&] {
    db.as_owner("UPDATE outages SET told_at = now() - interval '6 min'; UPDATE monitor_status SET look_at = now()");
    db.wait(db.checks.look(db.soon()));
    return db.rows("alerts");
  };
  CHECK(remind() == 2);
  auto const acknowledge = [&](store::editor editor, uuid outage) {
    return db.wait(outages.acknowledge(std::move(editor), id, outage, db.soon()));
  };
  CHECK(failure(acknowledge(db.elsewhere(), open)) == errc::not_found);
  CHECK(failure(acknowledge(db.as_ed(), id)) == errc::not_found);
  auto const done = acknowledge(db.as_ed(), open);
  REQUIRE(done.has_value());
  CHECK(done->acknowledged_by == db.ed);
  CHECK(acknowledge(db.as_ed(), open)->acknowledged_at == done->acknowledged_at);
  CHECK(db.audit_rows("outage.acknowledged") == 1);
  CHECK(remind() == 2);
  db.decide(db.result_at(id, 1000));
  CHECK(failure(acknowledge(db.as_ed(), open)) == errc::outage_over);
}

TEST_CASE("the known part of a trouble counts conclusive results, and not its good end") {
  using enum checks::conclusion;
  struct row {
    checks::conclusion says;
    std::uint32_t fails;
    bool open;
    store::covered_time then;
  };
  store::covered_time now;
  for (auto const& each : std::vector<row>{{good, 0, false, {0, 0}},
                                           {bad, 1, false, {60, 0}},
                                           {good, 0, false, {0, 0}},  // refuted
                                           {bad, 1, false, {60, 0}},
                                           {none, 1, false, {60, 0}},
                                           {bad, 2, false, {120, 0}},
                                           {bad, 3, true, {180, 0}},
                                           {good, 0, true, {240, 60}},
                                           {bad, 1, true, {300, 0}},
                                           {good, 0, true, {360, 60}},
                                           {good, 0, true, {420, 120}},
                                           {good, 0, false, {0, 0}}}) {
    now = store::next_covered(now, each.says, 60, each.fails, each.open);
    CHECK(now == each.then);
  }
}

TEST_CASE("unknown time is excluded from an outage") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  // Each stands for two seconds; of the six between the first failure and the recovery, three results are there.
  std::int64_t position = 0;
  for (auto const ended :
       {checks::status::up, checks::status::down, checks::status::error, checks::status::down, checks::status::up}) {
    auto result = db.result_at(id, 3000 * position++, ended);
    result.covers = std::chrono::seconds(ended == checks::status::error ? 0 : 2);
    db.decide(std::move(result));
  }
  CHECK(db.words("SELECT (ended_at - started_at)::text || ' ' || excluded_seconds FROM outages") == "00:00:09 5");
}
