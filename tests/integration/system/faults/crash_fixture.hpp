#pragma once

#include "crash_receiver.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"
#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace svc::test {

constexpr std::chrono::seconds crash_patience{60};

/// A head that is larger than the data that a connection with a small window accepts at once.
inline std::string large_head() {
  constexpr int large_fields = 20;
  constexpr std::size_t field_size = 4'000;
  std::string out;
  for (int i = 0; i < large_fields; ++i)
    out += (i == 0 ? "\"X-" : ",\"X-") + std::to_string(i) + "\":\"" + std::string(field_size, 'x') + '"';
  return "{" + out + "}";
}

/// Stores, receivers, and one instance at a time that works on them.
class crash_fixture {
 public:
  crash_fixture() {
    // Other processes that work here can be killed; this one only keeps the stores.
    arm(stores_.admin_url(0), "postgres.acquire=throw");
    start();
    hook_ = make_provider("webhook", R"({"url":"http://127.0.0.1:)" + std::to_string(hook.port()) +
                                         R"(/","headers":)" + large_head() + "}");
    mail_ = make_provider("email", R"({"to":["ada@crash.test"]})");
  }

  api_client user() const { return client(stores_.text("token")); }
  api_client client(std::string token) const { return {url(0), stores_.text("caFile"), std::move(token)}; }
  runner_client runner() {
    if (runner_key_.empty())
      runner_key_ = text_of(stores_.admin({"create-runner", "--organization", "demo", "--name", "by hand"}), "/key");
    return {url(1), stores_.text("caFile"), runner_key_};
  }
  std::string word(std::string const& query) const { return stores_.word(query); }

  /// Waits until the instance dies at the failpoint. The thread that has just committed may be the last one to
  /// notice. Until then, no instance claims its writes.
  void dies_at(std::string const& failpoint) const {
    bool const delivers = failpoint.starts_with("delivery.");
    arm(now_->admin_url(), failpoint + "=exit" + (delivers ? "" : ",delivery.before_claim=delay:60000"));
  }
  /// Sends a request to an instance that may die before it answers.
  static void ask(std::function<answer()> const& content) {
    try {
      content();
    } catch (std::runtime_error const&) {
      // The instance is gone.
    }
  }
  bool is_dead() {
    constexpr int killed = 137;
    return now_->process().wait() == killed;
  }
  void kill() { now_->process().kill(); }

  /// Starts another instance, as if the leases of the dead one had ended.
  void start() {
    stores_.sql(
        "UPDATE check_shards SET holder = NULL, lease_until = '-infinity'; DELETE FROM check_holders;"
        "UPDATE provider_queue SET due_at = now() WHERE due_at > now();"
        "UPDATE heartbeat_listening SET heard_at = now(), deaf_from = NULL, deaf_to = NULL");
    now_.emplace(stores_.dev(), both_kinds, stores_.environment());
  }

  std::string alert_config(bool by_hook, bool by_mail) const {
    return R"({"enabled":true,"notificationProviders":[)" + (by_hook ? "\"" + hook_ + "\"" : "") +
           (by_hook && by_mail ? "," : "") + (by_mail ? "\"" + mail_ + "\"" : "") + "]}";
  }
  /// Makes a monitor. `more`: further members. From then on a new heartbeat is the newest one.
  std::string make_monitor(std::string const& type, std::string const& more, std::string const& alerts) {
    auto const made = user().post(
        "/api/monitors", R"({"name":"site","type":")" + type + "\"," + more + R"(,"alertConfig":)" + alerts + "}");
    REQUIRE_MESSAGE(made.status == 201, made.body);
    if (type == "heartbeat") ping_path_ = text_of(body_of(made), "/heartbeat/url");
    return text_of(body_of(made), "/id");
  }
  /// Returns the path of a signal of the newest heartbeat.
  std::string ping(std::string const& signal = {}) const {
    return ping_path_.substr(ping_path_.find("/api/heartbeats/")) + signal;
  }

  crash_receiver hook{crash_receiver::protocol::http}, mail{crash_receiver::protocol::smtp};

 private:
  static void arm(std::string const& admin, std::string const& failpoints) {
    REQUIRE(api_client(admin, {}, {}).post("/debug/failpoints", "background.hurry=delay:0," + failpoints).status ==
            200);
  }
  std::string url(std::size_t listener) const { return "https://" + now_->address(listener); }
  std::string make_provider(std::string const& type, std::string const& config) {
    auto const made =
        user().post("/api/notification-providers", R"({"name":")" + type + R"(","type":")" + type +
                                                       R"(","groupSeconds":0,"config":)" + config + "}");
    REQUIRE_MESSAGE(made.status == 201, made.body);
    return text_of(body_of(made), "/id");
  }

  fleet stores_{1,
                {"SVC_FAILPOINTS=background.hurry=delay:0", "SVC_WORKERS=1", "SVC_SMTP_FROM=svc@crash.test",
                 "SVC_SMTP_URL=smtp://127.0.0.1:" + std::to_string(mail.port())}};
  std::optional<configured_service> now_{};
  std::string hook_{}, mail_{}, runner_key_{}, ping_path_{};
};

inline crash_fixture& shared_crash_fixture() {
  static crash_fixture fixture;
  return fixture;
}

/// Returns type, state, attempts and the flag for a possible repetition of each alert of a target. The alerts are in
/// the order in which they were written, and the data is from the history that users see.
inline std::string history_of(crash_fixture& fixture, std::string const& target) {
  auto const page = body_of(fixture.user().get("/api/alerts?limit=100&targetId=" + target));
  std::string out;
  for (auto const& value : page.at("data").as_array()) {
    auto const line = text_of(value, "/type") + " " + text_of(value, "/status") + " " +
                      std::to_string(value.at("attempts").as_int64()) +
                      (value.at("maybeRepeated").as_bool() ? " maybe repeated" : "");
    out = line + (out.empty() ? "" : ", ") + out;
  }
  return out;
}

inline std::string left_of(crash_fixture const& fixture, std::string const& target) {
  return fixture.word(
      "SELECT coalesce(string_agg(type || ' ' || status || ' ' || attempts, ', ' ORDER BY created_at, id),"
      " '') FROM alerts WHERE target_id = '" +
      target + "' AND status = 'pending'");
}

inline bool all_sent(crash_fixture const& fixture, std::string const& target, int alerts) {
  return comes_true(
      [&] {
        return fixture.word(
                   "SELECT count(*) || ' ' || count(*) FILTER (WHERE status = 'sent') FROM alerts"
                   " WHERE target_id = '" +
                   target + "'") == std::to_string(alerts) + " " + std::to_string(alerts);
      },
      crash_patience);
}

}  // namespace svc::test
