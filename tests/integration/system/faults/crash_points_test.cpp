// Instances that are killed one after the other around each COMMIT between a check and a message that was taken, and
// before, between and behind the bytes of the message. The next one finds what was left, on the same stores.
#include "crash_fixture.hpp"
#include "support/watched_target.hpp"

#include <doctest/doctest.h>

#include <set>
#include <span>

namespace svc::test {
namespace {

using point = crash_receiver::point;

constexpr char const* hourly = R"("config":{"schedule":{"everySeconds":3600}})";

/// Each has come once as a whole, whatever came in part, and all of it under one id.
void check_messages(std::vector<crash_receiver::received> const& got, int whole) {
  int count = 0;
  std::set<std::string> ids;
  for (auto const& each : got) {
    count += each.whole ? 1 : 0;
    if (!each.id.empty()) ids.insert(each.id);
  }
  CHECK(count == whole);
  CHECK(ids.size() == 1);
}

std::string check_path(std::string const& monitor) {
  return "/api/monitors/" + monitor + "/check";
}

std::string verdict_query(std::string const& monitor) {
  return "SELECT verdict FROM monitor_status WHERE monitor_id = '" + monitor + "'";
}

/// Until the instance has died with this verdict: one that dies with a result which counts no more has decided
/// nothing.
void check_and_die(crash_fixture& fixture, std::string const& monitor, char const* failpoint,
                   std::string const& verdict) {
  constexpr int often_enough = 5;
  for (int i = 0; i < often_enough; ++i) {
    if (i > 0) fixture.start();
    fixture.dies_at(failpoint);
    fixture.ask([&] { return fixture.user().post(check_path(monitor)); });
    REQUIRE(fixture.is_dead());
    if (fixture.word(verdict_query(monitor)) == verdict) return;
  }
}

struct crash_row {
  char const* where;
  char const* failpoint;  ///< nothing: killed when the receiver has come to `stop`
  point stop;
  char const* left;     ///< of the alert, behind its type; empty: nothing waits
  char const* history;  ///< in the end
  int messages;         ///< that came as a whole
};

constexpr crash_row webhook_rows[] = {
    {"before the COMMIT that makes the message", "delivery.before_claim", point::none, "pending 0", "sent 1", 1},
    {"behind it", "delivery.claimed", point::none, "pending 1", "sent 2 maybe repeated", 1},
    {"between its bytes", nullptr, point::part, "pending 1", "sent 2 maybe repeated", 1},
    {"behind its bytes", nullptr, point::whole, "pending 1", "sent 2 maybe repeated", 2},
    {"behind the answer", "delivery.attempted", point::none, "pending 1", "sent 2 maybe repeated", 2},
    {"before the COMMIT of its end", "delivery.before_end", point::none, "pending 1", "sent 2 maybe repeated", 2},
    {"behind that", "delivery.after_end", point::none, "", "sent 1", 1},
};

constexpr crash_row mail_rows[] = {
    {"before the greeting", nullptr, point::accepted, "pending 1", "sent 2 maybe repeated", 1},
    {"between the recipient and the mail", nullptr, point::part, "pending 1", "sent 2 maybe repeated", 1},
    {"behind the mail", nullptr, point::whole, "pending 1", "sent 2 maybe repeated", 2},
    {"behind the answer", "delivery.attempted", point::none, "pending 1", "sent 2 maybe repeated", 2},
};

/// One monitor that falls and rises, a message and a kill for each.
void check_deliveries(crash_fixture& fixture, crash_receiver& receiver, std::string const& monitor,
                      std::span<crash_row const> rows) {
  std::string history;
  int alerts = 0;
  for (auto const& row : rows) {
    CAPTURE(row.where);
    std::string const type = alerts % 2 == 0 ? "monitor_failure " : "monitor_recovery ";
    if (row.failpoint != nullptr)
      fixture.dies_at(row.failpoint);
    else
      receiver.stop_next_at(row.stop);
    fixture.ask([&] { return fixture.client({}).get(fixture.ping(alerts % 2 == 0 ? "/fail" : "")); });
    if (row.failpoint == nullptr) {
      REQUIRE(comes_true([&] { return receiver.is_stopped(); }, crash_patience));
      fixture.kill();
      receiver.go_on();
    } else {
      REQUIRE(fixture.is_dead());
    }
    CHECK(left_of(fixture, monitor) == (*row.left == '\0' ? "" : type + row.left));
    fixture.start();
    REQUIRE(all_sent(fixture, monitor, ++alerts));
    history += (history.empty() ? "" : ", ") + type + row.history;
    CHECK(history_of(fixture, monitor) == history);
    check_messages(receiver.take(), row.messages);
  }
  CHECK(fixture.word("SELECT count(*) || ' ' || count(ended_at) FROM outages WHERE monitor_id = '" + monitor + "'") ==
        std::to_string((alerts + 1) / 2) + " " + std::to_string(alerts / 2));
}

TEST_CASE("kill -9 around the COMMIT of a decision: one outage, one alert for each provider, reported once") {
  auto& fixture = shared_crash_fixture();
  watched_target target;
  auto const port = target.address().substr(target.address().find(':') + 1);
  auto const monitor = fixture.make_monitor("port_check",
                                            R"("target":"127.0.0.1","frequencyMinutes":1440,"config":{"port":)" +
                                                port + R"(,"retryStrategy":{"maxRetries":0}})",
                                            fixture.alert_config(true, true));
  auto const verdict = verdict_query(monitor);
  REQUIRE(comes_true([&] { return fixture.word(verdict) == "up"; }, crash_patience));
  struct {
    char const* failpoint;
    char const* left;
  } const rows[] = {{"checks.locked", ""}, {"checks.decided", "pending 0"}};
  int alerts = 0;
  for (auto const& row : rows) {
    CAPTURE(row.failpoint);
    for (bool const falls : {true, false}) {
      CAPTURE(falls);
      std::string const type = falls ? "monitor_failure " : "monitor_recovery ";
      bool const decided = *row.left != '\0';
      std::string const then = decided == falls ? "down" : "up";
      // A result of what was asked for before would come instead of the one that is meant.
      REQUIRE(comes_true(
          [&] { return fixture.word("SELECT count(*) FROM check_requests WHERE closed_at IS NULL") == "0"; },
          crash_patience));
      falls ? target.close() : target.open();
      check_and_die(fixture, monitor, row.failpoint, then);
      CHECK(fixture.word(verdict) == then);
      CHECK(left_of(fixture, monitor) == (decided ? type + row.left + ", " + type + row.left : ""));
      fixture.start();
      // The one that was asked for may have died with the instance.
      if (!decided) CHECK(fixture.user().post(check_path(monitor)).status == 202);
      REQUIRE(all_sent(fixture, monitor, alerts += 2));
      CHECK(fixture.word(verdict) == (falls ? "down" : "up"));
      CHECK(fixture.word("SELECT count(*) || ' ' || count(ended_at) FROM outages WHERE monitor_id = '" + monitor +
                         "'") == std::to_string((alerts + 2) / 4) + " " + std::to_string(alerts / 4));
      check_messages(fixture.hook.take(), 1);
      check_messages(fixture.mail.take(), 1);
    }
  }
  CHECK(history_of(fixture, monitor).find("maybe repeated") == std::string::npos);
  // Its port is gone: a check of the schedule would tell of that while other cases count messages.
  CHECK(fixture.user().del("/api/monitors/" + monitor).status == 204);
}

TEST_CASE(
    "kill -9 before, between and after the bytes of a webhook: at least one delivery, a repetition has its "
    "webhook-id") {
  auto& fixture = shared_crash_fixture();
  auto const monitor = fixture.make_monitor("heartbeat", hourly, fixture.alert_config(true, false));
  check_deliveries(fixture, fixture.hook, monitor, webhook_rows);
}

TEST_CASE(
    "kill -9 before, between and after the bytes of a mail: at least one delivery, a repetition has its Message-ID") {
  auto& fixture = shared_crash_fixture();
  auto const monitor = fixture.make_monitor("heartbeat", hourly, fixture.alert_config(false, true));
  check_deliveries(fixture, fixture.mail, monitor, mail_rows);
}

TEST_CASE("kill -9 around the COMMIT that judges a missing heartbeat: one outage, reported once") {
  auto& fixture = shared_crash_fixture();
  auto const monitor = fixture.make_monitor("heartbeat", hourly, fixture.alert_config(true, false));
  struct {
    char const* failpoint;
    char const* left;
  } const rows[] = {{"heartbeats.evaluating", ""}, {"heartbeats.evaluated", "monitor_failure pending 0"}};
  int alerts = 0;
  for (auto const& row : rows) {
    CAPTURE(row.failpoint);
    REQUIRE(fixture.client({}).get(fixture.ping()).status == 200);
    REQUIRE(all_sent(fixture, monitor, alerts));
    fixture.hook.take();
    fixture.dies_at(row.failpoint);
    fixture.word(
        "UPDATE heartbeats SET due_at = now() - interval '301 s', deadline_at = now() - interval '1 s'"
        " WHERE monitor_id = '" +
        monitor + "'");
    REQUIRE(fixture.is_dead());
    CHECK(left_of(fixture, monitor) == row.left);
    fixture.start();
    REQUIRE(all_sent(fixture, monitor, alerts + 1));
    check_messages(fixture.hook.take(), 1);
    alerts += 2;
  }
  CHECK(history_of(fixture, monitor) == "monitor_failure sent 1, monitor_recovery sent 1, monitor_failure sent 1");
  CHECK(fixture.word("SELECT count(*) FROM outages WHERE monitor_id = '" + monitor + "'") == "2");
}

TEST_CASE("kill -9 around the COMMIT of a job's alerts: each failed run is reported once") {
  auto& fixture = shared_crash_fixture();
  auto user = fixture.user();
  auto const job = make_job(user, R"("alertConfig":)" + fixture.alert_config(true, false));
  struct {
    char const* failpoint;
    char const* left;
  } const rows[] = {{"run_alerts.before_commit", ""}, {"run_alerts.after_commit", "job_failed pending 0"}};
  int alerts = 0;
  for (auto const& row : rows) {
    CAPTURE(row.failpoint);
    REQUIRE(fixture.user().post(trigger_path(job)).status == 202);
    auto client = fixture.runner();
    REQUIRE(client.enroll().status == 200);
    auto const claims = claims_of(client.claim(5));
    REQUIRE(claims.size() == 1);
    fixture.dies_at(row.failpoint);
    fixture.ask([&] { return client.complete(claims.front(), "failed"); });
    REQUIRE(fixture.is_dead());
    CHECK(left_of(fixture, job) == row.left);
    fixture.start();
    REQUIRE(all_sent(fixture, job, ++alerts));
    check_messages(fixture.hook.take(), 1);
  }
  CHECK(history_of(fixture, job) == "job_failed sent 1, job_failed sent 1");
}

}  // namespace
}  // namespace svc::test
