// Alerts that maintenance windows and parents hold back.
#include "unit/domain/monitoring/alerting/played.hpp"

#include <doctest/doctest.h>

namespace svc::alerting {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t window_start = 100, window_end = 1000;

/// Up at the start, with maintenance later. A check with its attempts takes a minute.
played maintained() {
  played p;
  p.monitor.maintenance = {{at_second(window_start), at_second(window_end)}};
  p.result('+', 0);
  return p;
}

/// A parent that is up, and whose newest check is older than all that follows.
parent_state parent_up() {
  return {.id = id_of(50), .conclusive = true, .conclusive_at = at_second(-30)};
}

parent_state parent_down() {
  return {.id = id_of(50), .down = true, .outage = id_of(60)};
}

parent_state parent_back(std::int64_t second) {
  return {
      .id = id_of(50), .last_ended_at = at_second(second), .conclusive = true, .conclusive_at = at_second(second)};
}

played depending(parent_state parent) {
  played p;
  p.monitor.parents = {parent};
  return p;
}

/// Fails each minute from `second` on, before `end`.
void fail_from(played& p, std::int64_t second, std::int64_t end) {
  for (; second < end; second += 60) CHECK(p.result('-', second).release.empty());
}

}  // namespace

TEST_CASE("down and up in maintenance: the failure is recorded and nobody is notified") {
  auto p = maintained();
  CHECK(text_of(p.result('-', 120).alerts) == "failure 100/0 to 1 maintenance");
  CHECK(p.last.hold.active);
  CHECK(p.result('+', 180).alerts.empty());
  CHECK(p.last.closed);
  CHECK(p.last.hold == hold_state{});
  CHECK_FALSE(p.last.requests_check);
  CHECK(p.look(301).alerts.empty());
}

TEST_CASE("down before maintenance and up in it: the recovery is sent, and no reminder") {
  auto p = maintained();
  p.monitor.alerts.reminder = 5min;
  CHECK(text_of(p.result('-', 60).alerts) == "failure 100/0 to 1");
  fail_from(p, 120, 480);
  CHECK(p.rows.size() == 1);
  CHECK(text_of(p.result('+', 480).alerts) == "recovery 100/0 to 1");
}

TEST_CASE("down before maintenance and after it: reminders resume, and no second failure is sent") {
  auto p = maintained();
  p.monitor.alerts.reminder = 5min;
  p.result('-', 60);
  fail_from(p, 120, window_end);
  CHECK(p.rows.size() == 1);
  CHECK(p.last.look_again <= at_second(window_end));
  CHECK(text_of(p.look(window_end).alerts) == "failure 100/1 to 1");
  CHECK_FALSE(p.last.requests_check);
  CHECK(text_of(p.result('+', 1060).alerts) == "recovery 100/0 to 1");
}

TEST_CASE("down in maintenance and after it: one failing check later the failure is sent once") {
  auto p = maintained();
  p.result('-', 120);
  SUBCASE("its end") {
    fail_from(p, 180, window_end);
    CHECK(p.last.look_again <= at_second(window_end));
    CHECK(p.look(window_end).release.empty());
    CHECK(p.last.requests_check);
    // The check started in maintenance, so it may have met the restart itself.
    p.store_result('-', window_end - 10);
    CHECK(p.look(window_end + 1).release.empty());
    CHECK_FALSE(p.last.requests_check);
    CHECK(p.last.look_again <= at_second(window_end + 70));
    SUBCASE("a failing check") {
      CHECK(text_of(p.result('-', window_end + 5).release) == "failure 100/0 to 1");
      CHECK(p.last.alerts.empty());
      CHECK(p.look(window_end + 6).release.empty());
      CHECK(text_of(p.result('+', window_end + 60).alerts) == "recovery 100/0 to 1");
    }
    SUBCASE("no result") {
      CHECK(p.look(window_end + 69).release.empty());
      CHECK(text_of(p.look(window_end + 70).release) == "failure 100/0 to 1");
    }
    SUBCASE("up") {
      CHECK(p.result('+', window_end + 5).alerts.empty());
      CHECK(p.last.release.empty());
      CHECK(p.last.hold == hold_state{});
    }
    SUBCASE("another window starts meanwhile") {
      p.monitor.maintenance.push_back({at_second(window_end + 2), at_second(window_end + 100)});
      CHECK(p.result('-', window_end + 5).release.empty());
      CHECK(p.last.hold.active);
      CHECK(p.look(window_end + 100).requests_check);
      CHECK(text_of(p.result('-', window_end + 101).release) == "failure 100/0 to 1");
    }
  }
  SUBCASE("the window is edited or deleted, or ends early") {
    p.monitor.maintenance.clear();
    CHECK(p.look(130).requests_check);
    CHECK(p.last.release.empty());
    CHECK(text_of(p.result('-', 131).release) == "failure 100/0 to 1");
  }
}

TEST_CASE("a heartbeat that is down in maintenance is notified of at its end") {
  auto p = maintained();
  p.monitor.checkable = false;
  p.monitor.interval = 10h;
  p.result('-', 120);
  CHECK(p.look(window_end - 1).release.empty());
  CHECK(text_of(p.look(window_end).release) == "failure 100/0 to 1");
  CHECK_FALSE(p.last.requests_check);
}

TEST_CASE("a check that started in maintenance and failed after it needs another failing check") {
  auto p = maintained();
  for (std::int64_t second = 60; second < 960; second += 60) p.result('+', second);
  p.store_result('-', window_end - 1);
  CHECK(text_of(p.look(window_end + 2).alerts) == "failure 100/0 to 1 maintenance");
  CHECK(p.last.requests_check);
  SUBCASE("which fails") {
    CHECK(text_of(p.result('-', window_end + 10).release) == "failure 100/0 to 1");
  }
  SUBCASE("which does not fail") {
    CHECK(p.result('+', window_end + 10).alerts.empty());
  }
}

TEST_CASE("a failure that was sent before a window was created stays sent") {
  auto p = maintained();
  CHECK(text_of(p.result('-', 60).alerts) == "failure 100/0 to 1");
  CHECK(p.look(window_start).alerts.empty());
  CHECK_FALSE(p.monitor.outage->failures[0].suppressed);
}

TEST_CASE("whatever ends an outage in maintenance is told to those who received its failure") {
  for (auto const reason : {end_reason::paused, end_reason::edited, end_reason::deleted}) {
    auto before = maintained();
    before.result('-', 60);
    CHECK(text_of(before.edit(reason, 200).alerts) == "recovery 100/0 to 1");
    auto inside = maintained();
    inside.result('-', 120);
    CHECK(inside.edit(reason, 200).alerts.empty());
    CHECK(inside.last.closed);
  }
}

TEST_CASE("the start of a degraded time or an error in maintenance is never sent, nor its end") {
  auto p = maintained();
  p.monitor.alerts.on_degraded = true;
  CHECK(text_of(p.result('s', 120).alerts) == "degraded 100/0 to 1 maintenance");
  CHECK(p.result('s', 1060).alerts.empty());
  CHECK(p.last.release.empty());
  CHECK(p.result('+', 1120).alerts.empty());
  auto q = maintained();
  q.result('e', 120);
  CHECK(text_of(q.result('e', 180).alerts) == "error 100/0 to 1 maintenance");
  CHECK(q.result('+', 1060).alerts.empty());
  // A start before maintenance was sent, and so is its end.
  auto r = maintained();
  r.monitor.alerts.on_degraded = true;
  CHECK(text_of(r.result('s', 60).alerts) == "degraded 100/0 to 1");
  CHECK(text_of(r.result('+', 120).alerts) == "degraded 100/1 to 1");
}

TEST_CASE("a parent is down first: the child is suppressed, and its outage names the cause") {
  auto p = depending(parent_down());
  CHECK(text_of(p.result('-', 0).alerts) == "failure 100/0 to 1 dependency");
  CHECK(p.last.caused_by == id_of(60));
  CHECK(p.last.requests_parents.empty());
  CHECK(p.last.look_again <= at_second(60));
  fail_from(p, 60, 300);
  SUBCASE("parent up, child still down: one check follows, and then the failure is sent") {
    p.monitor.parents = {parent_back(300)};
    CHECK(p.look(301).requests_check);
    CHECK(p.last.release.empty());
    CHECK(text_of(p.result('-', 302).release) == "failure 100/0 to 1");
    CHECK(text_of(p.result('+', 360).alerts) == "recovery 100/0 to 1");
    CHECK_FALSE(p.last.caused_by);
  }
  SUBCASE("a child that is up first sends nothing") {
    CHECK(p.result('+', 300).alerts.empty());
    CHECK(p.last.release.empty());
  }
  SUBCASE("the parent is deleted or paused: one check follows as well") {
    p.monitor.parents.clear();
    CHECK(p.look(301).requests_check);
    CHECK(text_of(p.result('-', 302).release) == "failure 100/0 to 1");
  }
}

TEST_CASE("one parent that is down is enough") {
  auto p = depending(parent_up());
  p.monitor.parents.push_back(parent_down());
  CHECK(text_of(p.result('-', 0).alerts) == "failure 100/0 to 1 dependency");
  CHECK(p.last.hold.active);
}

TEST_CASE("the failure of a child waits for its parents") {
  auto p = depending(parent_up());
  p.monitor.parents[0].attempts_take = 80s;
  CHECK(text_of(p.result('-', 0).alerts) == "failure 100/0 to 1 dependency");
  CHECK(p.last.requests_parents == std::vector{id_of(50)});
  CHECK_FALSE(p.last.requests_check);
  CHECK(p.last.look_again <= at_second(5));
  SUBCASE("a parent is found down: it still silences the child, and is the cause") {
    p.monitor.parents = {parent_down()};
    CHECK(p.look(20).release.empty());
    CHECK(p.last.hold.active);
    CHECK(p.last.caused_by == id_of(60));
    CHECK(p.last.requests_parents.empty());
  }
  SUBCASE("the parent is up: the failure is sent at once") {
    p.monitor.parents[0].conclusive_at = at_second(10);
    CHECK(text_of(p.look(11).release) == "failure 100/0 to 1");
    CHECK_FALSE(p.last.requests_check);
  }
  SUBCASE("an older result of the parent says nothing") {
    p.monitor.parents[0].conclusive_at = at_second(-1);
    CHECK(p.look(11).release.empty());
  }
  SUBCASE("the parent fails, and is not down yet") {
    p.monitor.parents[0].conclusive_at = at_second(10);
    p.monitor.parents[0].failing = true;
    CHECK(p.look(11).release.empty());
    CHECK(p.look(89).release.empty());
    CHECK(text_of(p.look(90).release) == "failure 100/0 to 1");
  }
  SUBCASE("the parent does not answer: the wait has an end") {
    CHECK(p.look(89).release.empty());
    CHECK(p.last.look_again <= at_second(90));
    CHECK(text_of(p.look(90).release) == "failure 100/0 to 1");
  }
  SUBCASE("the child is up") {
    CHECK(p.result('+', 30).alerts.empty());
    CHECK(p.last.closed);
  }
}

TEST_CASE("a parent that is paused, pending, in error or a heartbeat is not waited for") {
  auto p = depending({.id = id_of(50)});
  CHECK(text_of(p.result('-', 0).alerts) == "failure 100/0 to 1");
  CHECK(p.last.requests_parents.empty());
}

TEST_CASE("a check that started while a parent was down needs another failing check") {
  auto p = depending(parent_back(20));
  p.store_result('-', 10);
  CHECK(text_of(p.look(40).alerts) == "failure 100/0 to 1 dependency");
  CHECK(p.last.requests_check);
  CHECK(text_of(p.result('-', 41).release) == "failure 100/0 to 1");
}

TEST_CASE("the child was notified of, then its parent is down: reminders pause, and the recovery is sent") {
  auto p = depending({.id = id_of(50)});
  p.monitor.alerts.reminder = 5min;
  p.result('-', 0);
  p.monitor.parents = {parent_down()};
  fail_from(p, 60, 660);
  CHECK(p.rows.size() == 1);
  CHECK_FALSE(p.last.caused_by);
  SUBCASE("up") {
    CHECK(text_of(p.result('+', 660).alerts) == "recovery 100/0 to 1");
  }
  SUBCASE("the parent is up: reminders resume") {
    p.monitor.parents = {parent_back(660)};
    CHECK(text_of(p.look(661).alerts) == "failure 100/1 to 1");
    CHECK_FALSE(p.last.requests_check);
  }
}

TEST_CASE("a mute, maintenance and a parent overlap: the failure is sent when all are over") {
  auto p = maintained();
  p.monitor.muted_until = at_second(300);
  p.monitor.parents = {parent_down()};
  CHECK(text_of(p.result('-', 120).alerts) == "failure 100/0 to 1 muted");
  fail_from(p, 180, window_end);
  CHECK(p.look(window_end).release.empty());
  CHECK(p.last.hold.active);
  p.monitor.parents = {parent_back(1020)};
  CHECK(p.look(1021).requests_check);
  CHECK(p.last.release.empty());
  SUBCASE("all") {
    CHECK(text_of(p.result('-', 1030).release) == "failure 100/0 to 1");
  }
  SUBCASE("but for another mute") {
    p.monitor.muted_until = at_second(1100);
    CHECK(p.result('-', 1030).release.empty());
    CHECK(p.result('-', 1090).release.empty());
    CHECK(text_of(p.look(1100).release) == "failure 100/0 to 1");
  }
}

TEST_CASE("a suppressed failure has the first reason that applies") {
  struct {
    bool disabled, limited, muted, maintenance;
    char const* alerts;
  } const cases[] = {
      {true, true, true, true, "failure 100/0 to 1 disabled"},
      {false, true, true, true, "failure 100/0 to 1 limited"},
      {false, false, true, true, "failure 100/0 to 1 muted"},
      {false, false, false, true, "failure 100/0 to 1 maintenance"},
      {false, false, false, false, "failure 100/0 to 1 dependency"},
  };
  for (auto const& c : cases) {
    played p({{.id = id_of(1), .disabled = c.disabled}});
    p.monitor.parents = {parent_down()};
    if (c.limited) p.monitor.limited_until = at_second(5000);
    if (c.muted) p.monitor.muted_until = at_second(5000);
    if (c.maintenance) p.monitor.maintenance = {{at_second(-1), at_second(5000)}};
    CHECK(text_of(p.result('-', 0).alerts) == c.alerts);
    CHECK(p.look(1).release.empty());
  }
}

TEST_CASE("the failure that the limit of changes left out is recorded in maintenance, and sent after it") {
  auto p = maintained();
  p.monitor.limited_until = at_second(400);
  p.monitor.limit_recorded = true;
  CHECK(p.result('-', 120).alerts.empty());
  CHECK(p.last.failure_left_out);
  fail_from(p, 180, 400);
  CHECK(text_of(p.look(400).alerts) == "failure 100/0 to 1 maintenance");
  fail_from(p, 420, window_end);
  CHECK(p.look(window_end).requests_check);
  CHECK(text_of(p.result('-', window_end + 1).release) == "failure 100/0 to 1");
}

TEST_CASE("a reason that only a newer version knows counts as suppressed") {
  played p;
  p.monitor.maintenance = {{at_second(-1), at_second(100)}};
  p.result('-', 0);
  p.monitor.outage->failures[0].suppressed = suppression::other;
  fail_from(p, 60, 240);
  CHECK(p.look(240).release.empty());
  CHECK(p.result('+', 300).alerts.empty());
}

TEST_CASE("an outage that is in error at the end of maintenance is sent after it is down again") {
  auto p = maintained();
  p.result('-', 120);
  p.result('e', 900);
  p.result('e', 960);
  CHECK(p.result('e', 1020).becomes == verdict::error);
  CHECK(p.last.hold.active);
  CHECK(p.result('-', 1080).requests_check);
  CHECK(p.last.release.empty());
  CHECK(text_of(p.result('-', 1090).release) == "failure 100/0 to 1");
}

}  // namespace svc::alerting
