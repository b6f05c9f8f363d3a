// Tests monitors whose project is archived and returns, and the display of failing monitors.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

using namespace svc;
using namespace svc::test;
using checks::status;

TEST_CASE("archiving a project ends open outages and notifies; unarchiving checks again from the start") {
  watched_shop db;
  auto const down = db.make_monitor().id, up = db.make_monitor().id;
  edit_monitor(
      db, db.make_monitor(db.wanted("off")).id, [](monitor_settings& set) { set.enabled = false; }, "paused");
  db.decide(db.result_at(down, 0, status::down));
  auto const known = *db.decide(db.result_at(up, 0)).knows;
  auto const archive = [&](bool context) {
    REQUIRE(db.wait(db.directory.set_archived(db.project, context, db.actor, db.soon())).outcome.has_value());
  };
  archive(true);
  CHECK(db.words("SELECT end_reason FROM outages") == "paused");
  CHECK(list_alerts(db) == "monitor_failure/0/pending monitor_recovery/0/pending");
  // A result that was on its way does not count, neither now nor after the return.
  CHECK_FALSE(db.count(known, db.result_at(up, 1000, status::down)));
  CHECK_FALSE(db.decide(db.result_at(up, 1000, status::down)).counted);
  CHECK(db.wait(db.checks.look(db.soon())) == 0);
  archive(false);
  CHECK_FALSE(db.decide(db.result_at(up, 1000, status::down)).counted);
  db.wait(db.checks.look(db.soon()));
  CHECK(db.words("SELECT verdict FROM monitor_status") == "pending pending pending");
  CHECK(db.number({{"look_again", "SELECT count(*) FROM monitor_status WHERE look_at > now()"}}) == 2);
  auto const version = db.get(up).check_version;
  CHECK(db.decide(db.result_at(up, 1000, status::up, version)).counted);
  CHECK(db.get(up).verdict == "up");
  CHECK(list_alerts(db) == "monitor_failure/0/pending monitor_recovery/0/pending");
}

TEST_CASE("a monitor that fails, but not often enough yet, shows since when") {
  watched_shop db;
  auto set = db.wanted();
  set.alert_config->insert(1, R"("failureThreshold":3,)");
  auto const id = db.make_monitor(set).id;
  auto const known = *db.decide(db.result_at(id, 0)).knows;
  CHECK_FALSE(db.get(id).suspect_since.has_value());
  auto const failing = db.result_at(id, 1000, status::down);
  REQUIRE(db.count(known, failing));
  CHECK(db.get(id).suspect_since == timestamp{failing.kept.started_ms * 1000});
  db.decide(db.result_at(id, 2 * 1000, status::down));
  db.decide(db.result_at(id, 3 * 1000, status::down));
  CHECK(db.get(id).verdict == "down");
  CHECK_FALSE(db.get(id).suspect_since.has_value());
}
