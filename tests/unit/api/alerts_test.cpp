#include "api/resources.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

constexpr timestamp alert_noon{1'790'000'000'000'000};

store::listed_alert failure_alert() {
  store::listed_alert out{.status = "failed",
                          .provider = uuid::generate_v7(),
                          .provider_name = "on call",
                          .attempts = 10,
                          .grouped = true,
                          .maybe_repeated = true,
                          .last_attempt_at = alert_noon,
                          .error_reason = "timeout"};
  out.alert = {.id = uuid::generate_v7(),
               .type = "monitor_failure",
               .time = alert_noon,
               .reminder = 2,
               .about = uuid::generate_v7(),
               .target_type = "monitor",
               .target_name = "shop",
               .target = uuid::generate_v7()};
  out.alert.outage = store::alert_details::outage_times{
      .started_at = {alert_noon.micros - 60'000'000},
      .cause = checks::failure(checks::code::connect_refused, "Nobody there."),
  };
  return out;
}

TEST_CASE("an alert shows its text, its recipient and its outcome") {
  auto const alert = failure_alert();
  auto const shown = test::shown(alert_json, alert);
  CHECK(shown.size() == 22);
  CHECK(shown.at("id") == boost::json::value(alert.alert.id.to_string()));
  CHECK(shown.at("targetId") == boost::json::value(alert.alert.target.to_string()));
  CHECK(shown.at("message") == "shop is still down after 1 min: Nobody there. (connect_refused)");
  CHECK(shown.at("providerId") == boost::json::value(alert.provider.to_string()));
  CHECK(shown.at("notificationProvider") == "on call");
  CHECK(shown.at("outageId") == boost::json::value(alert.alert.about.to_string()));
  CHECK(shown.at("runId").is_null());
  CHECK(shown.at("reminder") == 2);
  CHECK(shown.at("attempts") == 10);
  CHECK(shown.at("grouped") == true);
  CHECK(shown.at("maybeRepeated") == true);
  CHECK(shown.at("error") == boost::json::value({{"reason", "timeout"}, {"status", nullptr}}));
  CHECK(shown.at("timestamp") == shown.at("lastAttemptAt"));
  CHECK(shown.at("sentAt").is_null());
  CHECK(shown.at("metadata").at("errorMessage") == "Nobody there.");
}

TEST_CASE("the subject and the reason of an alert depend on its type") {
  struct {
    std::string type, target, message;
    char const* refers;  ///< the member that has what it is about
    char const* reason;
  } const cases[] = {
      {"monitor_failure", "monitor", "shop is down: Why.", "outageId", "Why."},
      {"monitor_recovery", "monitor", "shop is up again.", "outageId", nullptr},
      {"monitor_error", "monitor", "shop cannot be checked: Why.", nullptr, "Why."},
      {"ssl_expiring", "monitor", "The certificate of shop is about to expire.", nullptr, nullptr},
      {"job_failed", "job", "The job shop failed.", "runId", nullptr},
      {"job_timeout", "job", "The job shop ran out of time.", "runId", nullptr},
      {"job_success", "job", "The job shop passed.", "runId", nullptr},
      {"job_recovered", "job", "The job shop passes again.", "runId", nullptr},
      {"provider_failing", "provider",
       "The provider shop no longer accepts messages. The provider did not answer in time.", nullptr, "timeout"},
      {"of a newer version", "monitor", "of a newer version", nullptr, nullptr},
  };
  for (auto const& c : cases) {
    CAPTURE(c.type);
    store::listed_alert alert;
    alert.alert = {.type = c.type, .about = uuid::generate_v7(), .target_type = c.target, .target_name = "shop"};
    if (c.reason != nullptr) alert.alert.error_message = c.reason;
    auto const shown = test::shown(alert_json, alert);
    CHECK(shown.at("message") == boost::json::value(c.message));
    for (std::string const member : {"outageId", "runId"}) {
      bool const refers = c.refers != nullptr && member == c.refers;
      CHECK(shown.at(member) == (refers ? boost::json::value(alert.alert.about.to_string()) : boost::json::value()));
    }
    CHECK(shown.at("metadata").at("errorMessage") ==
          (c.reason == nullptr ? boost::json::value() : boost::json::value(c.reason)));
    CHECK(shown.at("error").is_null());
  }
}

}  // namespace
}  // namespace svc::api
