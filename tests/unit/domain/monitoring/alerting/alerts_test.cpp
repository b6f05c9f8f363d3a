// Recipients and times of alerts, and alerts that are only recorded.
#include "unit/domain/monitoring/alerting/played.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::alerting {
namespace {

using namespace std::chrono_literals;

TEST_CASE("each provider is notified once of a failure and of its end, the first failure of a new monitor too") {
  played p({{.id = id_of(1)}, {.id = id_of(2)}});
  CHECK(text_of(p.result('-', 0).alerts) == "failure 100/0 to 1, failure 100/0 to 2");
  CHECK(p.result('-', 60).alerts.empty());
  CHECK(text_of(p.result('+', 120).alerts) == "recovery 100/0 to 1, recovery 100/0 to 2");
  CHECK(p.result('+', 180).alerts.empty());
}

TEST_CASE("events that are reported although they are switched off") {
  struct {
    std::string name;
    alert_settings set;
    std::string reported;
  } const cases[] = {
      {"nothing enabled", {.enabled = false}, ""},
      {"no failures", {.on_failure = false}, ""},
      {"no recoveries", {.on_recovery = false}, "failure 100/0 to 1, failure 100/0 to 2, recovery 100/0 to 2"},
      {"all", {}, "failure 100/0 to 1, failure 100/0 to 2, recovery 100/0 to 1, recovery 100/0 to 2"},
  };
  for (auto c : cases) {
    CAPTURE(c.name);
    played p;
    p.monitor.alerts = std::move(c.set);
    p.monitor.alerts.providers = {{.id = id_of(1)}, {.id = id_of(2), .resolves = true}};
    p.result('-', 0);
    p.result('+', 60);
    CHECK(text_of(p.rows) == c.reported);
  }
}

TEST_CASE("whatever ends an outage is reported to the providers that were notified of it") {
  for (auto const reason : {end_reason::paused, end_reason::edited, end_reason::deleted, end_reason::resumed}) {
    played p;
    p.result('-', 0);
    CHECK(text_of(p.edit(reason, 60).alerts) == "recovery 100/0 to 1");
    CHECK(p.last.closed->reason == reason);
    CHECK(p.edit(reason, 70).alerts.empty());
  }
}

TEST_CASE("a provider is removed, or alerts are switched off, during an outage: its end is reported") {
  played p({{.id = id_of(1)}, {.id = id_of(2)}});
  p.result('-', 0);
  p.monitor.alerts.providers = {{.id = id_of(3)}};
  p.monitor.alerts.enabled = false;
  CHECK(text_of(p.result('+', 60).alerts) == "recovery 100/0 to 1, recovery 100/0 to 2");
}

TEST_CASE("a muted failure is reported when the monitor is not muted any more and still down") {
  played p;
  p.monitor.muted_until = at_second(100);
  p.monitor.alerts.reminder = 5min;
  CHECK(text_of(p.result('-', 0).alerts) == "failure 100/0 to 1 muted");
  CHECK(p.last.look_again == at_second(100));
  CHECK(p.look(99).release.empty());
  SUBCASE("still down") {
    CHECK(text_of(p.look(100).release) == "failure 100/0 to 1");
    CHECK(p.last.alerts.empty());
    CHECK(p.look(101).release.empty());
    CHECK(text_of(p.result('+', 110).alerts) == "recovery 100/0 to 1");
  }
  SUBCASE("over before") {
    CHECK(p.result('+', 99).alerts.empty());
    CHECK(p.look(100).release.empty());
    CHECK(p.rows.size() == 1);
  }
  SUBCASE("nobody knows when it ends") {
    p.monitor.muted_until = at_second(150);
    p.result('e', 60);
    p.result('e', 120);
    CHECK(p.result('e', 180).becomes == verdict::error);
    CHECK(p.last.release.empty());
    CHECK(text_of(p.result('-', 200).release) == "failure 100/0 to 1");
  }
  SUBCASE("the provider was taken off, or disabled") {
    p.monitor.alerts.providers[0].disabled = true;
    CHECK(p.look(100).release.empty());
    p.monitor.alerts.providers.clear();
    CHECK(p.look(100).release.empty());
  }
}

TEST_CASE("providers that were notified before the monitor was muted are notified of the end") {
  played p;
  p.result('-', 0);
  p.monitor.muted_until = at_second(1000);
  CHECK(text_of(p.result('+', 60).alerts) == "recovery 100/0 to 1");
}

TEST_CASE("alerts for a disabled provider are only recorded") {
  played p({{.id = id_of(1), .disabled = true}});
  p.monitor.muted_until = at_second(30);
  CHECK(text_of(p.result('-', 0).alerts) == "failure 100/0 to 1 disabled");
  CHECK(p.look(30).release.empty());
  CHECK(p.result('+', 60).alerts.empty());
  // This provider is disabled after its notification.
  played q;
  q.result('-', 0);
  q.monitor.outage->failures[0].provider.disabled = true;
  CHECK(text_of(q.result('+', 60).alerts) == "recovery 100/0 to 1 disabled");
}

TEST_CASE("reminders while down, until somebody acknowledges") {
  played p({{.id = id_of(1)}, {.id = id_of(2)}});
  p.monitor.interval = 1h;
  p.monitor.alerts.reminder = 10min;
  p.result('-', 0);
  CHECK(p.last.look_again == at_second(600));
  CHECK(p.look(599).alerts.empty());
  CHECK(text_of(p.look(600).alerts) == "failure 100/1 to 1, failure 100/1 to 2");
  CHECK(p.last.look_again == at_second(1200));
  CHECK(p.look(601).alerts.empty());
  SUBCASE("the next one, to those who are still configured and no new one") {
    p.monitor.alerts.providers = {{.id = id_of(2)}, {.id = id_of(3)}};
    CHECK(text_of(p.look(1300).alerts) == "failure 100/2 to 2");
    CHECK(p.last.look_again == at_second(1900));
    CHECK(text_of(p.result('+', 1400).alerts) == "recovery 100/0 to 1, recovery 100/0 to 2");
  }
  SUBCASE("acknowledged") {
    p.monitor.outage->acknowledged = true;
    CHECK(p.look(1300).alerts.empty());
  }
  SUBCASE("muted") {
    p.monitor.muted_until = at_second(2000);
    CHECK(p.look(1300).alerts.empty());
    CHECK(p.last.look_again == at_second(2000));
    CHECK(text_of(p.look(2000).alerts) == "failure 100/2 to 1, failure 100/2 to 2");
  }
  SUBCASE("nobody knows") {
    p.results[0].state.says = location_status::none;
    CHECK(text_of(p.look(3 * 3600).alerts) == "error 101/0 to 1, error 101/0 to 2");
    CHECK(p.look(4 * 3600).alerts.empty());
  }
}

TEST_CASE("the reminders of one outage stop at the limit, and its end is reported") {
  played p;
  p.monitor.interval = 1h;
  p.monitor.alerts.reminder = 10min;
  p.result('-', 0);
  p.monitor.outage->reminders = most_reminders - 1;
  CHECK(text_of(p.look(600).alerts) == "failure 100/" + std::to_string(most_reminders) + " to 1");
  CHECK(p.look(1200).alerts.empty());
  CHECK(p.last.look_again > at_second(3000));
  CHECK(text_of(p.result('+', 1260).alerts) == "recovery 100/0 to 1");
}

TEST_CASE("after 20 changes of the verdict in an hour one alert says that the others are left out") {
  played p({{.id = id_of(1)}, {.id = id_of(2), .disabled = true}});
  // The first result makes a change as well.
  std::int64_t second = 0;
  for (int i = 0; i < 19; ++i, second += 60) p.result(i % 2 == 0 ? '+' : '-', second);
  CHECK(p.changes.size() == 19);
  CHECK(text_of(p.result('-', second).alerts) == "failure 109/0 to 1, failure 109/0 to 2 disabled");
  // The 20th change was notified, and so is its end.
  CHECK(text_of(p.result('+', second += 60).alerts) == "recovery 109/0 to 1");
  CHECK(text_of(p.result('-', second += 60).alerts) == "failure 110/0 to 1 limited, failure 110/0 to 2 disabled");
  CHECK(p.result('+', second += 60).alerts.empty());
  for (int i = 0; i < 6; ++i) {
    CHECK(p.result('-', second += 60).alerts.empty());
    CHECK(p.result('+', second += 60).alerts.empty());
  }
  CHECK(p.result('-', second += 60).alerts.empty());
  auto const begun = p.changes.front();
  REQUIRE(p.last.look_again);

  SUBCASE("the failure of an outage that is still open is written when the limit ends") {
    auto const ends = (begun.micros / 1'000'000) + 3600;
    for (std::int64_t position = second + 60; position < ends; position += 60)
      CHECK(p.result('-', position).alerts.empty());
    CHECK(text_of(p.result('-', ends).alerts) == "failure 117/0 to 1, failure 117/0 to 2 disabled");
    CHECK(p.result('-', ends + 60).alerts.empty());
    CHECK(text_of(p.result('+', ends + 120).alerts) == "recovery 117/0 to 1");
  }
  SUBCASE("an outage that ends before is not told at all, and the next limited time is recorded again") {
    CHECK(p.result('+', second += 60).alerts.empty());
    second += 7200;
    for (int i = 0; i < 20; ++i, second += 60) p.result(i % 2 == 0 ? '-' : '+', second);
    CHECK(text_of(p.result('-', second).alerts) == "failure 128/0 to 1 limited, failure 128/0 to 2 disabled");
  }
}

TEST_CASE("the failure that records the limit is sent when the limit ends, and not while the monitor is muted") {
  played p;
  std::int64_t second = 0;
  for (int i = 0; i < 20; ++i, second += 10) p.result(i % 2 == 0 ? '+' : '-', second);
  p.result('+', second);
  CHECK(text_of(p.result('-', second += 10).alerts) == "failure 110/0 to 1 limited");
  CHECK(p.last.look_again);
  p.monitor.muted_until = at_second(4000);
  std::int64_t position = second + 60;
  for (; position < 4000; position += 60) CHECK(p.result('-', position).release.empty());
  CHECK(text_of(p.result('-', position).release) == "failure 110/0 to 1");
  CHECK(text_of(p.result('+', position + 60).alerts) == "recovery 110/0 to 1");
}

TEST_CASE("starts of degraded times are limited as failures are") {
  played p;
  p.monitor.alerts.on_degraded = true;
  std::int64_t second = 0;
  for (int i = 0; i < 21; ++i, second += 60) p.result(i % 2 == 0 ? '+' : 's', second);
  CHECK(text_of(p.result('s', second).alerts) == "degraded 110/0 to 1 limited");
  CHECK(p.result('+', second += 60).alerts.empty());
  CHECK(p.result('s', second += 60).alerts.empty());
  CHECK(text_of(p.result('-', second += 60).alerts).empty());
}

TEST_CASE("a reminder that is due when an error ends is written then") {
  played p;
  p.monitor.alerts.reminder = 2min;
  p.result('-', 0);
  p.result('e', 60);
  CHECK(text_of(p.result('e', 120).alerts) == "failure 100/1 to 1");
  CHECK(text_of(p.result('e', 180).alerts) == "error 101/0 to 1");
  CHECK(p.look(240).alerts.empty());
  CHECK(text_of(p.result('-', 250).alerts) == "error 101/1 to 1, failure 100/2 to 1");
}

TEST_CASE("start and end of a degraded time, if requested, and of an error") {
  played p;
  CHECK(p.result('s', 0).alerts.empty());
  CHECK(p.last.period_begun);
  p.monitor.alerts.on_degraded = true;
  CHECK(p.result('+', 60).alerts.empty());  // no provider was notified of its start
  CHECK(text_of(p.result('s', 120).alerts) == "degraded 101/0 to 1");
  CHECK(text_of(p.result('-', 180).alerts) == "degraded 101/1 to 1, failure 102/0 to 1");
  CHECK(text_of(p.result('s', 240).alerts) == "recovery 102/0 to 1, degraded 103/0 to 1");
  p.result('e', 300);
  p.result('e', 360);
  CHECK(text_of(p.result('e', 420).alerts) == "degraded 103/1 to 1, error 104/0 to 1");
  CHECK(text_of(p.edit(end_reason::paused, 430).alerts) == "error 104/1 to 1");
}

TEST_CASE("a muted start of a degraded time is recorded, and its end is not reported") {
  played p;
  p.monitor.alerts.on_degraded = true;
  p.monitor.muted_until = at_second(30);
  CHECK(text_of(p.result('s', 0).alerts) == "degraded 100/0 to 1 muted");
  CHECK(p.result('+', 60).alerts.empty());
}

}  // namespace
}  // namespace svc::alerting
