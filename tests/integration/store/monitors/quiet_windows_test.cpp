// Alerts of monitors in maintenance windows: each way in which an outage and a window can lie to each other.
#include "quiet_shop.hpp"

#include "svc/store/monitors/outage_store.hpp"

using namespace svc;
using namespace svc::test;
using checks::status;

namespace {

/// A monitor that is down inside a window, so that its failure is suppressed.
struct quiet_failure : hold_shop {
  quiet_failure() {
    pass(id);
    fail(id);
    CHECK(alerts_of(id) == suppressed_by_maintenance);
  }
  /// Makes the decision that the end of the window brings, and checks that it only asks for a check.
  void expect_request() {
    CHECK(look() >= 1);
    CHECK(alerts_of(id) == suppressed_by_maintenance);
    CHECK(requests_of(id) == 1);
    look_at_all();
    CHECK(alerts_of(id) == suppressed_by_maintenance);
    CHECK(requests_of(id) == 1);
  }

  uuid id = make_monitor().id;
  windows::window window = start_window(id);
};

}  // namespace

TEST_CASE("a failure that starts and ends inside a window notifies nobody and is listed as suppressed") {
  quiet_failure db;
  db.look_at_all();
  db.pass(db.id);
  db.end_window(db.window.id);
  db.look_at_all();
  CHECK(db.alerts_of(db.id) == suppressed_by_maintenance);
  CHECK(db.words("SELECT end_reason FROM outages") == "recovered");
  CHECK(db.requests_of(db.id) == 0);
}

TEST_CASE("a failure that outlives its window is sent once, after one more failing check, however the window ends") {
  quiet_failure db;
  auto const other = db.make_monitor().id;
  // The clock itself brings the decision at the window's end, so nobody has to write `look_at` then.
  CHECK(db.rows("monitor_status s JOIN maintenance_occurrences o ON s.look_at <= o.ends_at WHERE s.monitor_id = '" +
                db.id.to_string() + "'") == 1);
  SUBCASE("by the clock") {
    db.pass_window(db.window.id);
    db.as_owner("UPDATE monitor_status SET look_at = now() WHERE monitor_id = '" + db.id.to_string() + "'");
  }
  SUBCASE("early") {
    db.end_window(db.window.id);
  }
  SUBCASE("by an edit") {
    auto const edit = [&](windows::window const& now) {
      auto set = now.set;
      set.targets.monitors = {other};
      return result<windows::window_settings>(set);
    };
    REQUIRE(db.wait(db.plans.update(db.as_ed(), db.window.id, edit, db.soon())).has_value());
  }
  SUBCASE("by its deletion") {
    REQUIRE(db.wait(db.plans.remove(db.as_ed(), db.window.id, db.soon())).has_value());
  }
  db.expect_request();
  db.fail(db.id);
  CHECK(db.alerts_of(db.id) == sent_failure);
  db.look_at_all();
  db.fail(db.id);
  CHECK(db.alerts_of(db.id) == sent_failure);
  db.pass(db.id);
  CHECK(db.alerts_of(db.id) == sent_failure_and_end);
}

TEST_CASE(
    "the check after a window decides: a good one sends nothing, and without a result the failure is released") {
  quiet_failure db;
  db.end_window(db.window.id);
  db.expect_request();
  SUBCASE("it succeeds") {
    db.pass(db.id);
    db.pass_wait();
    CHECK(db.alerts_of(db.id) == suppressed_by_maintenance);
  }
  SUBCASE("it has no result in time") {
    db.pass_wait();
    CHECK(db.alerts_of(db.id) == sent_failure);
  }
  SUBCASE("another window starts before it") {
    db.start_window(db.id);
    db.fail(db.id);
    db.pass_wait();
    CHECK(db.alerts_of(db.id) == suppressed_by_maintenance);
  }
}

TEST_CASE("a window that applies again, because a clock went back, brings no second failure") {
  quiet_failure db;
  db.end_window(db.window.id);
  db.expect_request();
  db.fail(db.id);
  CHECK(db.alerts_of(db.id) == sent_failure);
  auto const move_end = [&](std::string const& time) {
    db.as_owner("UPDATE maintenance_occurrences SET ends_at = " + time);
    db.look_at_all();
    db.fail(db.id);
    CHECK(db.alerts_of(db.id) == sent_failure);
  };
  move_end("now() + interval '1 hour'");
  move_end("clock_timestamp()");
  db.pass_wait();
  db.pass(db.id);
  CHECK(db.alerts_of(db.id) == sent_failure_and_end);
}

TEST_CASE("an outage from before a window: its end is sent inside, and reminders wait for the window's end") {
  hold_shop db;
  auto set = db.wanted();
  set.alert_config->insert(1, R"("reminderMinutes":5,)");
  auto const id = db.make_monitor(set).id;
  db.fail(id);
  // A failure that is pending when a window is created is sent.
  auto const window = db.start_window(id);
  CHECK(db.alerts_of(id) == sent_failure);
  auto const remind = [&] {
    db.as_owner("UPDATE outages SET told_at = now() - interval '6 min'");
    db.look_at_all();
  };
  remind();
  db.fail(id);
  CHECK(db.alerts_of(id) == sent_failure);
  SUBCASE("the outage ends inside") {
    db.pass(id);
    CHECK(db.alerts_of(id) == sent_failure_and_end);
  }
  SUBCASE("the outage outlives the window") {
    db.end_window(window.id);
    remind();
    CHECK(db.alerts_of(id) == "monitor_failure/0/pending monitor_failure/1/pending");
    db.pass(id);
    CHECK(db.alerts_of(id) == "monitor_failure/0/pending monitor_failure/1/pending monitor_recovery/0/pending");
  }
}

TEST_CASE(
    "ends of outages inside a window go only to receivers of the failure: after a pause, an edit or a deletion") {
  for (std::string const reason : {"paused", "edited", "deleted"}) {
    for (bool const notified : {false, true}) {
      CAPTURE(reason);
      CAPTURE(notified);
      hold_shop db;
      auto const id = db.make_monitor().id;
      if (notified) db.fail(id);
      db.start_window(id);
      if (!notified) db.fail(id);
      if (reason == "paused") edit_monitor(db, id, [](monitor_settings& set) { set.enabled = false; }, "paused");
      if (reason == "edited") edit_monitor(db, id, [](monitor_settings& set) { set.target = "https://other.test/"; });
      if (reason == "deleted") REQUIRE(db.wait(db.monitors.remove(db.as_ed(), id, db.soon())).has_value());
      CHECK(db.words("SELECT end_reason FROM outages") == reason);
      CHECK(db.alerts_of(id) == (notified ? sent_failure_and_end : suppressed_by_maintenance));
    }
  }
}

TEST_CASE("an error that starts inside a window is suppressed for good, with its end") {
  hold_shop db;
  auto const id = db.make_monitor().id;
  db.pass(id);
  auto const window = db.start_window(id);
  db.as_owner(
      "UPDATE check_states SET evidence_at = now() - interval '1 hour', seen_at = now() - interval '1 hour';"
      "UPDATE monitor_status SET since = now() - interval '2 hours'");
  db.look_at_all();
  CHECK(db.get(id).verdict == "error");
  db.end_window(window.id);
  db.look_at_all();
  db.pass_wait();
  CHECK(db.alerts_of(id) == "monitor_error/0/maintenance");
  db.pass(id);
  CHECK(db.get(id).verdict == "up");
  CHECK(db.alerts_of(id) == "monitor_error/0/maintenance");
}

TEST_CASE("a certificate is not warned about inside a window, but by the first check after it") {
  hold_shop db;
  auto set = db.wanted();
  set.alert_config->insert(1, R"("alertOnSslExpiration":true,)");
  auto const id = db.make_monitor(set).id;
  auto const window = db.start_window(id);
  auto const ends = system_now() + std::chrono::days(14);
  checks::certificate_warning const warning{{"CN=ca", "CN=shop", ends + -std::chrono::days(365), ends, "aa"}, 14};
  std::int64_t position = 0;
  auto const warn = [&] {
    auto result = db.result_at(id, 1000 * position++);
    result.warning = warning;
    result.warning_id = checks::id_of(id, warning);
    return db.decide(std::move(result));
  };
  // The holder keeps the warning for the next check.
  CHECK(warn().warning_waits);
  CHECK(db.alerts_of(id).empty());
  db.end_window(window.id);
  CHECK_FALSE(warn().warning_waits);
  CHECK(db.alerts_of(id) == "ssl_expiring/14/pending");
}

TEST_CASE("a failure keeps the first reason that applies, and is released when none does") {
  hold_shop db;
  auto const id = db.make_monitor().id, parent = db.make_monitor().id;
  db.depend(id, parent);
  db.fail(parent);
  auto const window = db.start_window(id);
  auto const set_mute = [&](std::string const& until) {
    db.as_owner("UPDATE monitors SET muted_until = " + until + " WHERE id = '" + id.to_string() + "'");
  };
  SUBCASE("a window comes before a parent") {
    db.fail(id);
    CHECK(db.alerts_of(id) == suppressed_by_maintenance);
  }
  SUBCASE("a mute comes before a window") {
    set_mute("now() + interval '1 hour'");
    db.fail(id);
    CHECK(db.alerts_of(id) == "monitor_failure/0/muted");
    set_mute("NULL");
  }
  SUBCASE("the limit of changes comes before a mute") {
    set_mute("now() + interval '1 hour'");
    db.as_owner("UPDATE monitor_status SET changes = array_fill(now(), ARRAY[20]) WHERE monitor_id = '" +
                id.to_string() + "'");
    db.fail(id);
    CHECK(db.alerts_of(id) == "monitor_failure/0/too_many_changes");
    db.as_owner("UPDATE monitor_status SET changes = '{}'");
    set_mute("NULL");
  }
  SUBCASE("a disabled provider gets nothing at all") {
    db.as_owner("UPDATE notification_providers SET enabled = false");
    db.fail(id);
    CHECK(db.alerts_of(id) == "monitor_failure/0/provider_disabled");
    db.end_window(window.id);
    db.pass(parent);
    db.pass_wait();
    db.pass_wait();
    CHECK(db.alerts_of(id) == "monitor_failure/0/provider_disabled");
    return;
  }
  db.end_window(window.id);
  db.look_at_all();
  db.fail(id);
  CHECK(db.alerts_of(id).find("pending") == std::string::npos);
  db.pass(parent);
  db.look_at_all();
  db.fail(id);
  CHECK(db.alerts_of(id) == sent_failure);
}

TEST_CASE("overlapping mute, window and parent: the failure is released when all are over, with an acknowledgement") {
  hold_shop db;
  auto const pager = db.wait(
      db.providers.create(db.as_ed(), {"pager", "pagerduty", true, R"({"routingKey":"r01234567"})"}, db.soon()));
  REQUIRE(pager.has_value());
  auto set = db.wanted();
  set.alert_config = R"({"enabled":true,"notificationProviders":[")" + pager->id.to_string() + R"("]})";
  set.alert_providers = {pager->id};
  auto const id = db.make_monitor(set).id, parent = db.make_monitor().id;
  db.depend(id, parent);
  edit_monitor(db, id, [](monitor_settings& now) { now.muted_until = system_now() + std::chrono::hours(1); });
  auto const window = db.start_window(id);
  db.fail(parent);
  db.fail(id);
  store::outage_store outages{db.pool};
  REQUIRE(db.wait(outages.acknowledge(db.as_ed(), id, db.open_outage(id), db.soon())).has_value());
  auto const nothing_sent = [&] { return db.alerts_of(id).find("pending") == std::string::npos; };
  auto const check_again = [&] {
    db.look_at_all();
    db.fail(id);
  };
  edit_monitor(db, id, [](monitor_settings& now) { now.muted_until.reset(); });
  check_again();
  CHECK(nothing_sent());
  db.end_window(window.id);
  check_again();
  CHECK(nothing_sent());
  db.pass(parent);
  check_again();
  CHECK(db.alerts_of(id) == "monitor_failure/0/pending outage_acknowledged/0/pending");
  // An acknowledgement that nobody has sent yet is not sent after the recovery.
  db.pass(id);
  CHECK(db.alerts_of(id) == sent_failure_and_end);
}
