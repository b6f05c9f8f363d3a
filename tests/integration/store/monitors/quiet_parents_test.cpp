// Alerts of monitors that depend on others: a parent that is down, also if it is found down later, silences its
// children.
#include "quiet_shop.hpp"

#include "svc/store/monitors/monitor_ends.hpp"

using namespace svc;
using namespace svc::test;
using checks::status;

namespace {

/// A child and its parent, which are both up.
struct family : hold_shop {
  family() {
    depend(child, parent);
    pass(parent);
    pass(child);
  }

  uuid parent = make_monitor().id;
  uuid child = make_monitor().id;
};

}  // namespace

TEST_CASE("a parent that is down first silences its child, and its outage is named as the cause") {
  family db;
  db.fail(db.parent);
  auto const cause = db.open_outage(db.parent).to_string();
  db.fail(db.child);
  CHECK(db.alerts_of(db.parent) == sent_failure);
  CHECK(db.alerts_of(db.child) == suppressed_by_dependency);
  CHECK(db.causes_of(db.child) == cause);
  CHECK(db.causes_of(db.parent) == "none");
  SUBCASE("a child that is up first sends nothing") {
    db.pass(db.child);
    db.pass(db.parent);
    db.pass_wait();
    CHECK(db.alerts_of(db.child) == suppressed_by_dependency);
  }
  SUBCASE("a child that stays down is checked once more, and its failure is sent") {
    db.pass(db.parent);
    // The recovery of the parent itself brings the child's decision.
    db.look();
    CHECK(db.alerts_of(db.child) == suppressed_by_dependency);
    CHECK(db.requests_of(db.child) == 1);
    db.look_at_all();
    CHECK(db.requests_of(db.child) == 1);
    db.fail(db.child);
    CHECK(db.alerts_of(db.child) == sent_failure);
    db.pass(db.child);
    CHECK(db.alerts_of(db.child) == sent_failure_and_end);
    // The cause stays in the list of outages.
    CHECK(db.causes_of(db.child) == cause);
  }
  SUBCASE("a child without a result in time is released") {
    db.pass(db.parent);
    db.look_at_all();
    db.pass_wait();
    CHECK(db.alerts_of(db.child) == sent_failure);
  }
  SUBCASE("a parent that is down again before the child's check silences it on") {
    db.pass(db.parent);
    db.look_at_all();
    db.fail(db.parent);
    db.fail(db.child);
    db.pass_wait();
    CHECK(db.alerts_of(db.child) == suppressed_by_dependency);
  }
}

TEST_CASE("a parent that is found down after its child still silences the child") {
  family db;
  db.fail(db.child);
  CHECK(db.alerts_of(db.child) == suppressed_by_dependency);
  CHECK(db.causes_of(db.child) == "none");
  // The parent is checked at once, and once only.
  CHECK(db.requests_of(db.parent) == 1);
  db.look_at_all();
  db.fail(db.child);
  CHECK(db.requests_of(db.parent) == 1);
  SUBCASE("the parent is down") {
    db.fail(db.parent);
    db.look();
    db.look_at_all();
    CHECK(db.alerts_of(db.child) == suppressed_by_dependency);
    CHECK(db.causes_of(db.child) == db.open_outage(db.parent).to_string());
    db.pass_wait();
    CHECK(db.alerts_of(db.child) == suppressed_by_dependency);
  }
  SUBCASE("the parent is up: the child's failure is sent at once") {
    db.pass(db.parent);
    db.look_at_all();
    CHECK(db.alerts_of(db.child) == sent_failure);
    CHECK(db.causes_of(db.child) == "none");
  }
  SUBCASE("the parent has no result in time") {
    db.pass_wait();
    CHECK(db.alerts_of(db.child) == sent_failure);
  }
}

TEST_CASE("one parent of several that is down is enough, and the last one that recovers releases") {
  family db;
  auto const second = db.make_monitor().id;
  db.depend(db.child, second);
  db.fail(db.parent);
  db.fail(second);
  db.fail(db.child);
  db.pass(db.parent);
  db.look_at_all();
  db.fail(db.child);
  CHECK(db.alerts_of(db.child) == suppressed_by_dependency);
  CHECK(db.requests_of(db.child) == 0);
  db.pass(second);
  db.look_at_all();
  db.fail(db.child);
  CHECK(db.alerts_of(db.child) == sent_failure);
}

TEST_CASE("grandparents act through parents") {
  family db;
  auto const grandchild = db.make_monitor().id;
  db.depend(grandchild, db.child);
  db.pass(grandchild);
  db.fail(db.parent);
  db.fail(db.child);
  db.fail(grandchild);
  CHECK(db.alerts_of(grandchild) == suppressed_by_dependency);
  CHECK(db.causes_of(grandchild) == db.open_outage(db.child).to_string());
}

TEST_CASE("a child whose failure was sent: reminders pause while a parent is down, and its recovery is sent") {
  family db;
  edit_monitor(db, db.child, [](monitor_settings& set) { set.alert_config->insert(1, R"("reminderMinutes":5,)"); });
  db.fail(db.child);
  db.pass(db.parent);
  db.look_at_all();
  REQUIRE(db.alerts_of(db.child) == sent_failure);
  db.fail(db.parent);
  auto const remind = [&] {
    db.as_owner("UPDATE outages SET told_at = now() - interval '6 min' WHERE monitor_id = '" + db.child.to_string() +
                "'");
    db.look_at_all();
  };
  remind();
  CHECK(db.alerts_of(db.child) == sent_failure);
  SUBCASE("the child recovers first") {
    db.pass(db.child);
    CHECK(db.alerts_of(db.child) == sent_failure_and_end);
  }
  SUBCASE("the parent recovers first") {
    db.pass(db.parent);
    remind();
    CHECK(db.alerts_of(db.child) == "monitor_failure/0/pending monitor_failure/1/pending");
  }
}

TEST_CASE("a parent that cannot be asked is not waited for, and counts only while it is down") {
  hold_shop db;
  auto const parent = db.make_monitor().id, child = db.make_monitor().id;
  db.depend(child, parent);
  db.pass(child);
  SUBCASE("paused") {
    edit_monitor(db, parent, [](monitor_settings& set) { set.enabled = false; }, "paused");
  }
  SUBCASE("pending") {}
  SUBCASE("in error") {
    db.pass(parent);
    db.as_owner("UPDATE monitor_status SET verdict = 'error' WHERE monitor_id = '" + parent.to_string() + "'");
  }
  SUBCASE("a heartbeat") {
    db.pass(parent);
    db.as_owner("UPDATE monitors SET type = 'heartbeat', target = NULL WHERE id = '" + parent.to_string() + "'");
  }
  SUBCASE("deleted") {
    db.fail(parent);
    REQUIRE(db.wait(db.monitors.remove(db.as_ed(), parent, db.soon())).has_value());
  }
  db.fail(child);
  CHECK(db.alerts_of(child) == sent_failure);
  CHECK(db.requests_of(parent) == 0);
}

TEST_CASE("a heartbeat that is down silences the monitors that depend on it") {
  hold_shop db;
  auto const parent = db.make_monitor().id, child = db.make_monitor().id;
  db.depend(child, parent);
  db.fail(parent);
  db.as_owner("UPDATE monitors SET type = 'heartbeat', target = NULL WHERE id = '" + parent.to_string() + "'");
  db.fail(child);
  CHECK(db.alerts_of(child) == suppressed_by_dependency);
}

TEST_CASE(
    "deleting a parent that is down releases its children after one more failing check; purging removes its rows") {
  family db;
  db.fail(db.parent);
  db.fail(db.child);
  auto const window = db.start_window(db.parent);
  REQUIRE(db.wait(db.monitors.remove(db.as_ed(), db.parent, db.soon())).has_value());
  CHECK(db.rows("monitor_dependencies") == 1);
  CHECK(db.wait(db.plans.get(db.project, window.id, db.soon()))->monitor_count == 0);
  db.look_at_all();
  db.fail(db.child);
  CHECK(db.alerts_of(db.child) == sent_failure);
  SUBCASE("a restored parent is a parent again") {
    REQUIRE(db.wait(db.monitors.restore(db.as_ed(), db.parent, db.soon())).has_value());
    CHECK(db.wait(db.plans.get(db.project, window.id, db.soon()))->monitor_count == 1);
    edit_monitor(db, db.parent, [](monitor_settings& set) { set.enabled = true; }, "resumed");
    db.pass(db.child);
    db.see(db.parent, status::down);
    db.fail(db.child);
    CHECK(db.alerts_of(db.child) == std::string(sent_failure_and_end) + " " + suppressed_by_dependency);
  }
  SUBCASE("a purged parent leaves nothing") {
    db.as_owner("UPDATE monitors SET deleted_at = now() - interval '31 days' WHERE deleted_at IS NOT NULL");
    store::monitor_ends ends(db.pool);
    CHECK_FALSE(db.wait(ends.drop_old({}, db.soon())));
    CHECK(db.rows("monitor_dependencies") == 0);
    CHECK(db.rows("maintenance_targets") == 0);
    CHECK(db.rows("maintenance_windows") == 1);
  }
}
