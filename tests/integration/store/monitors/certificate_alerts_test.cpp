// Tests certificates that are about to expire: users are notified once, whatever happens in between.
#include "integration/monitoring/scheduler/watching.hpp"

using namespace svc;
using namespace svc::test;

namespace {

struct warning_shop : watching {
  checks::certificate_warning passed(std::string fingerprint, std::uint32_t threshold) {
    auto const ends = system_now() + std::chrono::days(threshold);
    return {{"CN=ca", "CN=shop.example.org", ends + -std::chrono::days(365), ends, std::move(fingerprint)},
            threshold};
  }
  uuid make_warned(bool asks = true) {
    auto set = wanted();
    set.alert_config = std::string(R"({"enabled":true,"alertOnSslExpiration":)") + (asks ? "true" : "false") +
                       R"(,"notificationProviders":[")" + set.alert_providers.at(0).to_string() + "\"]}";
    return make_monitor(set).id;
  }
  /// Returns the thresholds of the alerts, the oldest first.
  std::string reported() {
    return words(
        "SELECT coalesce(string_agg(number::text, ' ' ORDER BY created_at), '') FROM alerts"
        " WHERE type = 'ssl_expiring'");
  }
  /// Runs a check by a scheduler that knows nothing, as after a restart.
  void check_anew(uuid monitor) {
    as_owner("DELETE FROM check_requests; UPDATE check_shards SET holder = NULL, lease_until = '-infinity'");
    scheduler::check_scheduler scheduler(parts());
    wait(scheduler.hold_shards());
    check_now(scheduler, monitor);
    check_now(scheduler, monitor);
    wait(scheduler.stop(soon()));
  }
  void check_now(scheduler::check_scheduler& scheduler, uuid monitor) {
    CHECK(wait(requests.ask(as_ed(), monitor, soon())).has_value());
    wait(scheduler.begin_requested());
    settle();
    wait(scheduler.flush());
  }

  store::check_requests requests{pool};
};

}  // namespace

TEST_CASE("each threshold of a certificate is reported once, over restarts, and again for a renewed certificate") {
  warning_shop db;
  auto const id = db.make_warned();
  db.check_anew(id);
  CHECK(db.reported().empty());
  struct {
    std::string name, fingerprint;
    std::uint32_t threshold;
    std::string reported;
  } const steps[] = {
      {"30 days are left", "aa", 30, "30"},
      {"still 30", "aa", 30, "30"},
      {"14", "aa", 14, "30 14"},
      {"expired", "aa", 0, "30 14 0"},
      {"renewed, and about to end again", "bb", 30, "30 14 0 30"},
      {"another server still has the old one", "aa", 0, "30 14 0 30"},
      {"and the other one again", "bb", 30, "30 14 0 30"},
  };
  for (auto const& step : steps) {
    CAPTURE(step.name);
    db.world.warn[id] = db.passed(step.fingerprint, step.threshold);
    db.check_anew(id);
    CHECK(db.reported() == step.reported);
  }
  CHECK(db.words("SELECT DISTINCT certificate::jsonb ->> 'subject' FROM alerts") == "CN=shop.example.org");
  CHECK(db.rows("outages") == 0);
  db.world.warn.erase(id);
  db.check_anew(id);
  CHECK(db.reported() == "30 14 0 30");
}

TEST_CASE("a decision that was made once is not made again while its holder lives") {
  warning_shop db;
  auto const id = db.make_warned();
  scheduler::check_scheduler scheduler(db.parts());
  db.world.warn[id] = db.passed("aa", 30);
  db.pass(scheduler);
  CHECK(db.reported() == "30");
  // The test deletes the alert, so that a second decision would write it again.
  db.as_owner("DELETE FROM alerts");
  db.pass_minute({&scheduler}, 1);
  db.wait(scheduler.flush());
  CHECK(db.reported().empty());
  db.world.warn[id] = db.passed("aa", 14);
  db.pass_minute({&scheduler}, 2);
  db.wait(scheduler.flush());
  CHECK(db.reported() == "14");
}

TEST_CASE("a certificate is reported only to providers that want it, also to those that want it later") {
  warning_shop db;
  auto const id = db.make_warned(false);
  db.world.warn[id] = db.passed("aa", 30);
  db.check_anew(id);
  CHECK(db.reported().empty());
  edit_monitor(db, id,
               [](monitor_settings& set) { set.alert_config->replace(set.alert_config->find("false"), 5, "true"); });
  db.check_anew(id);
  CHECK(db.reported() == "30");
}

TEST_CASE("thresholds that a certificate passed during a mute are reported by the first check after the mute") {
  warning_shop db;
  auto const id = db.make_warned();
  db.world.warn[id] = db.passed("aa", 30);
  scheduler::check_scheduler scheduler(db.parts());
  db.as_owner("UPDATE monitors SET muted_until = clock_timestamp() + interval '1 hour'");
  db.pass(scheduler);
  CHECK(db.reported().empty());
  db.as_owner("UPDATE monitors SET muted_until = clock_timestamp()");
  db.pass_minute({&scheduler}, 1);
  db.wait(scheduler.flush());
  CHECK(db.reported() == "30");
  CHECK(db.rows("alerts") == 1);
}
