#include "monitoring/notifications/wording.hpp"
#include "monitoring/notifications/composed.hpp"
#include "unit/monitoring/notifications/messages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace svc;
using namespace svc::notifications;
using namespace std::chrono_literals;

namespace {

alert with_type(alert_type type, bool ended = false) {
  auto out = failure_of_monitor(1);
  out.type = type;
  out.ended = ended;
  if (type != alert_type::monitor_failure) out.outage.reset();
  return out;
}

alert with_end(std::string reason) {
  auto out = recovery_of(failure_of_monitor(1), 723s);
  out.outage->end_reason = std::move(reason);
  return out;
}

alert certificate(std::int64_t days) {
  auto out = with_type(alert_type::ssl_expiring);
  out.certificate = certificate_facts{.fingerprint = "ab", .valid_to = ten_o_clock, .days_remaining = days};
  return out;
}

alert run(alert_type type) {
  auto out = with_type(type);
  out.about.state = alert_target::kind::job;
  out.result.reset();
  out.error = "2 of 5 tests failed";
  out.run = run_facts{.id = id_of(5), .status = "failed", .duration_ms = 65'000};
  return out;
}

}  // namespace

TEST_CASE("the sentence of each alert") {
  using enum alert_type;
  auto reminder = failure_of_monitor(1);
  reminder.reminder = 2;
  reminder.time = ten_o_clock + 2h;
  auto late = failure_of_monitor(1);
  late.outage->ended_at = ten_o_clock + 723s;
  auto provider = with_type(provider_failing);
  provider.about.state = alert_target::kind::provider;
  provider.result.reset();
  provider.error = "timeout";
  auto post = with_type(status_page_post);
  post.about.state = alert_target::kind::status_page;
  post.about.name = "Acme";
  post.result.reset();
  post.post_title = "[Identified] Checkout\nfails";
  struct {
    alert alert;
    std::string_view tag, status, severity;
    action content;
    std::string_view sentence;
  } const table[] = {
      {post, "STATUS PAGE", "posted", "info", action::resolve, "Acme: [Identified] Checkout fails"},
      {failure_of_monitor(1), "DOWN", "down", "critical", action::trigger,
       "shop has been down since 2026-11-18 11:06:40 UTC: the connection was refused (connect_refused)"},
      {reminder, "STILL DOWN", "down", "critical", action::trigger,
       "shop is still down after 2 h: the connection was refused (connect_refused)"},
      {late, "WAS DOWN", "up", "info", action::resolve,
       "shop was down from 2026-11-18 11:06:40 UTC to 2026-11-18 11:18:43 UTC (12 min 3 s): the connection was "
       "refused "
       "(connect_refused)"},
      {with_end("recovered"), "UP", "up", "info", action::resolve, "shop is up again after 12 min 3 s."},
      {with_end("paused"), "OUTAGE OVER", "up", "info", action::resolve,
       "The outage of shop is over after 12 min 3 s: the monitor was paused."},
      {with_type(monitor_degraded), "DEGRADED", "degraded", "warning", action::trigger,
       "shop is slow or failing in part: the connection was refused (connect_refused)"},
      {with_type(monitor_degraded, true), "NORMAL", "up", "info", action::resolve, "shop answers as usual again."},
      {with_type(monitor_error), "NOT CHECKED", "error", "warning", action::trigger,
       "shop cannot be checked: the connection was refused (connect_refused)"},
      {with_type(monitor_error, true), "CHECKED AGAIN", "up", "info", action::resolve, "shop is checked again."},
      {certificate(3), "CERTIFICATE", "expiring", "warning", action::trigger,
       "The certificate of shop expires in 3 days, on 2026-11-18 11:06:40 UTC."},
      {certificate(1), "CERTIFICATE", "expiring", "warning", action::trigger,
       "The certificate of shop expires in 1 day, on 2026-11-18 11:06:40 UTC."},
      {certificate(0), "CERTIFICATE", "expiring", "warning", action::trigger,
       "The certificate of shop expired on 2026-11-18 11:06:40 UTC."},
      {run(job_failed), "FAILED", "failed", "critical", action::trigger,
       "The job shop failed after 1 min 5 s: 2 of 5 tests failed"},
      {run(job_timeout), "TIMED OUT", "timed_out", "critical", action::trigger,
       "The job shop ran out of time after 1 min 5 s: 2 of 5 tests failed"},
      {run(job_success), "PASSED", "passed", "info", action::resolve, "The job shop passed after 1 min 5 s."},
      {run(job_recovered), "RECOVERED", "passed", "info", action::resolve,
       "The job shop passes again, after 1 min 5 s."},
      {provider, "NOT DELIVERED", "failing", "warning", action::trigger,
       "The provider shop no longer accepts messages. The provider did not answer in time."},
      {with_type(outage_acknowledged), "ACKNOWLEDGED", "down", "info", action::acknowledge,
       "The outage of shop was acknowledged."},
  };
  std::set<alert_type> seen;
  for (auto const& row : table) {
    CAPTURE(row.sentence);
    CHECK(tag_of(row.alert) == row.tag);
    CHECK(status_of(row.alert) == row.status);
    CHECK(severity_of(row.alert) == row.severity);
    CHECK(action_of(row.alert) == row.content);
    CHECK(sentence_of(row.alert) == row.sentence);
    CHECK(alert_type_named(name_of(row.alert.type)) == row.alert.type);
    seen.insert(row.alert.type);
  }
  CHECK(seen.size() == alert_type_count);
  CHECK(event_type_of(monitor_failure) == "monitor.failure");
  CHECK(event_type_of(ssl_expiring) == "ssl.expiring");
  CHECK_FALSE(alert_type_named("monitor.failure"));
}

TEST_CASE("a digest: failures before ends, a failure and its end in one line, 50 named and the rest counted") {
  auto const first = failure_of_monitor(10, "a"), second = failure_of_monitor(20, "b");
  auto reminder = failure_of_monitor(30, "c");
  reminder.reminder = 1;
  auto const all = merged({recovery_of(failure_of_monitor(40, "d"), 60s), first, second, recovery_of(first, 60s),
                           reminder, recovery_of(reminder, 60s)});
  REQUIRE(all.size() == 4);
  CHECK(all[0].about.name == "b");
  CHECK(tag_of(all[0]) == "DOWN");
  CHECK(all[1].about.name == "d");
  CHECK(tag_of(all[2]) == "WAS DOWN");
  CHECK(all[2].about.name == "a");
  // Its failure was sent before: this message ends it.
  CHECK(tag_of(all[3]) == "UP");
  CHECK(all[3].reminder == 1);

  auto message = storm(3000);
  message.alerts.insert(message.alerts.begin(), recovery_of(failure_of_monitor(1'000'000, "z"), 60s));
  auto const text = compose(message, {});
  CHECK(text.title == "[DOWN] 3000, [UP] 1 in Acme");
  CHECK(text.lines.size() == 50);
  CHECK(text.unnamed == 2951);
  auto const lines = lines_that_fit(text, 100'000, as_is);
  REQUIRE(lines.size() == 51);
  CHECK(lines.front().starts_with("[DOWN] shop 0 has been down"));
  CHECK(lines.back() == "… and 2951 more");
  // Lines that do not fit are counted too.
  auto const few = lines_that_fit(text, 1000, as_is);
  CHECK(few.back() == "… and " + std::to_string(3001 - (few.size() - 1)) + " more");
  std::size_t units = 0;
  for (auto const& line : few) units += units_of(line) + 1;
  CHECK(units <= 1000);
}

TEST_CASE("a message is as severe as the worst of its alerts, whatever their order") {
  auto const failure = failure_of_monitor(10), recovery = recovery_of(failure_of_monitor(20), 60s);
  auto degraded = failure_of_monitor(30);
  degraded.type = alert_type::monitor_degraded;
  CHECK(compose(message_of({recovery}), {}).severity == "info");
  CHECK(compose(message_of({degraded}), {}).severity == "warning");
  CHECK(compose(message_of({degraded, recovery}), {}).severity == "warning");
  CHECK(compose(message_of({degraded, failure, recovery}), {}).severity == "critical");
}

TEST_CASE("a link is only in messages of an operator that sets one, and never in a test") {
  auto const message = message_of({failure_of_monitor(1)});
  CHECK(compose(message, with_link).link == "https://dash.example/monitors/" + id_of(2).to_string() + "?a=1&b=2");
  CHECK(compose(message, {}).link.empty());
  auto test = message_of({test_alert(id_of(7), ten_o_clock)});
  test.test = true;
  CHECK(compose(test, with_link).link.empty());
  CHECK(compose(test, with_link).title == "[TEST] [DOWN] Test");
}
