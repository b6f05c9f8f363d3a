// Between rows of the queue and what is sent.
#include "svc/monitoring/notifications/translation.hpp"

#include <doctest/doctest.h>

using namespace svc;
using row_fate = store::attempt_end::fate;

namespace {

store::attempt_end end_after(notifications::attempt const& came, std::int64_t attempt = 1,
                             milliseconds spent = milliseconds(0), std::string const& type = "webhook") {
  return notifications::end_of({.provider_type = type, .attempt = attempt}, came, milliseconds(1000), spent, 0.5);
}

notifications::attempt retry(notifications::reason reason, milliseconds not_before = milliseconds(0)) {
  return {.came = {.state = notifications::fate::retry, .cause = reason, .not_before = not_before}};
}

}  // namespace

TEST_CASE("an attempt's end is written with its pauses") {
  using enum notifications::reason;
  auto const taken = end_after({.came = {.state = notifications::fate::taken, .cause = delivered, .status = 200}}, 1,
                               milliseconds(300));
  CHECK(taken.state == row_fate::sent);
  CHECK(taken.reason.empty());
  CHECK(taken.pace == milliseconds(700));
  CHECK(end_after(retry(refused), 1, milliseconds(1500)).pace == milliseconds(0));

  struct row {
    notifications::attempt came;
    std::int64_t attempt;
    row_fate fate;
    milliseconds next;
  };
  for (auto const& each :
       {row{retry(refused), 1, row_fate::waits, milliseconds(5000)},
        row{retry(refused), 9, row_fate::waits, std::chrono::hours(4)},
        row{retry(refused), 10, row_fate::dead, milliseconds(0)},
        row{retry(rate_limited, milliseconds(90'000)), 1, row_fate::waits, milliseconds(90'000)},
        row{{.came = {.state = notifications::fate::dead, .cause = rejected}}, 1, row_fate::dead, milliseconds(0)}}) {
    auto const end = end_after(each.came, each.attempt);
    CAPTURE(each.attempt);
    CHECK(end.state == each.fate);
    CHECK(end.next == each.next);
    CHECK(end.reason == name_of(each.came.came.cause));
  }
  CHECK(end_after({.came = {.state = notifications::fate::dead, .cause = refused, .status = 410, .gone = true}})
            .disable);
  CHECK(notifications::end_of_unsendable().state == row_fate::dead);
}

TEST_CASE("only a message that may have been accepted is uncertain") {
  using enum notifications::reason;
  for (auto const reason : {timeout, connect_failed}) CHECK(end_after(retry(reason)).uncertain);
  for (auto const reason : {rate_limited, tls_failed, dns_failed, auth_failed, smtp_unconfigured}) {
    CHECK_FALSE(end_after(retry(reason)).uncertain);
  }
  CHECK_FALSE(end_after({.came = {.state = notifications::fate::dead, .cause = rejected}}).uncertain);
  // Answers of HTTP from behind a front, or that cannot be read; SMTP's say that it was not taken.
  struct {
    char const* type;
    std::optional<int> status;
    bool uncertain;
  } const answers[] = {{"webhook", 503, true},
                       {"slack", std::nullopt, true},
                       {"webhook", 418, false},
                       {"email", 554, false},
                       {"email", std::nullopt, false}};
  for (auto const& each : answers) {
    CAPTURE(each.type);
    notifications::attempt const came{
        .came = {.state = notifications::fate::retry, .cause = refused, .status = each.status}};
    CHECK(end_after(came, 1, milliseconds(0), each.type).uncertain == each.uncertain);
  }
  auto partly = retry(refused);
  partly.settled = {{"a@x.test", true}, {"b@x.test", false}};
  auto const end = end_after(partly);
  CHECK(end.uncertain);
  CHECK(end.taken == std::vector<std::string>{"a@x.test"});
  CHECK(end.refused == std::vector<std::string>{"b@x.test"});
}

TEST_CASE("recipients that a mail is not sent to are settled, with the reason, and nothing is uncertain") {
  using enum notifications::reason;
  notifications::attempt some{.came = {.state = notifications::fate::taken, .cause = delivered},
                              .settled = {{"a@x.test", true}},
                              .left_out = {"b@x.test"},
                              .left_out_for = mail_limit_reached};
  auto const sent = end_after(some);
  CHECK(sent.state == store::attempt_end::fate::sent);
  CHECK(sent.reason == "mail_limit_reached");
  CHECK(sent.taken == std::vector<std::string>{"a@x.test"});
  CHECK(sent.refused == std::vector<std::string>{"b@x.test"});
  some.left_out.clear();
  CHECK(end_after(some).reason.empty());

  auto waits = retry(refused);
  waits.left_out = {"b@x.test"};
  waits.left_out_for = recipient_not_allowed;
  auto const later = end_after(waits, 1, milliseconds(0), "email");
  CHECK(later.state == store::attempt_end::fate::waits);
  CHECK(later.reason == "refused");
  CHECK_FALSE(later.uncertain);
  CHECK(later.refused == std::vector<std::string>{"b@x.test"});
}

TEST_CASE("a message names the subjects of its alerts") {
  store::alert_details down{.id = uuid::generate_v7(),
                            .type = "monitor_failure",
                            .time = {7},
                            .reminder = 2,
                            .about = uuid::generate_v7(),
                            .target_type = "monitor",
                            .target_name = "site",
                            .target = uuid::generate_v7(),
                            .monitor_type = "website",
                            .monitor_target = "https://a.test/"};
  down.outage =
      store::alert_details::outage_times{.started_at = {3},
                                         .ended_at = timestamp{5},
                                         .end_reason = "recovered",
                                         .cause = checks::failure(checks::code::connect_refused, "Nobody there."),
                                         .location = "local",
                                         .locations = {"local"}};
  store::alert_details const lost{
      .type = "monitor_error", .ended = true, .target_type = "monitor", .error_message = "Why."};
  store::alert_details const failing{
      .type = "provider_failing", .target_type = "provider", .error_message = "timeout"};
  store::alert_details const post{.type = "status_page_post",
                                  .target_type = "status_page",
                                  .target_name = "Acme",
                                  .custom_message = "We know the cause.",
                                  .error_message = "[Identified] Checkout fails"};
  store::alert_details const unknown{.type = "of a newer version"};
  auto const made = notifications::message_of({.id = down.about,
                                               .project_slug = "shop",
                                               .maybe_repeated = true,
                                               .taken = {"a@x.test"},
                                               .alerts = {down, lost, failing, unknown, post}});
  CHECK(made.id == down.about);
  CHECK(made.project.slug == "shop");
  CHECK(made.maybe_repeated);
  REQUIRE(made.alerts.size() == 4);
  CHECK(made.alerts[3].about.state == notifications::alert_target::kind::status_page);
  CHECK(made.alerts[3].post_title == "[Identified] Checkout fails");
  CHECK(made.alerts[3].custom_message == "We know the cause.");
  CHECK_FALSE(made.alerts[3].result);
  auto const& first = made.alerts[0];
  CHECK(first.id == down.id);
  CHECK(first.type == notifications::alert_type::monitor_failure);
  CHECK(first.reminder == 2);
  CHECK(first.thread == down.about);
  CHECK(first.about.state == notifications::alert_target::kind::monitor);
  CHECK(first.about.address == "https://a.test/");
  REQUIRE(first.outage.has_value());
  CHECK(first.outage->id == down.about);
  CHECK(first.outage->ended_at == timestamp{5});
  REQUIRE(first.result.has_value());
  CHECK(first.result->code == "connect_refused");
  CHECK(first.result->message == "Nobody there.");
  CHECK(made.alerts[1].ended);
  CHECK(made.alerts[1].result->message == "Why.");
  CHECK(made.alerts[2].about.state == notifications::alert_target::kind::provider);
  CHECK(made.alerts[2].error == "timeout");
  auto const settled = notifications::settled_of({.taken = {"a@x.test"}, .refused = {"b@x.test"}});
  REQUIRE(settled.size() == 2);
  CHECK(settled[0].taken);
  CHECK_FALSE(settled[1].taken);
}

TEST_CASE("an alert of a certificate says whose it is, and how many days were left when it was written") {
  timestamp const time{1'800'000'000'000'000};
  struct {
    std::string name;
    std::chrono::microseconds left;
    std::int64_t days;
  } const cases[] = {{"half a day", std::chrono::hours(12), 1},
                     {"14 days", std::chrono::days(14), 14},
                     {"a second over", std::chrono::days(14) + std::chrono::seconds(1), 15},
                     {"ended now", std::chrono::hours(0), 0},
                     {"an hour ago", -std::chrono::hours(1), 0}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    store::alert_details const alert{
        .type = "ssl_expiring",
        .time = time,
        .about = uuid{{1}},
        .target_type = "monitor",
        .target = uuid{{2}},
        .certificate = R"({"subject":"CN=shop","fingerprint":"aa","validTo":")" + to_rfc3339(time + c.left) + "\"}"};
    auto const reported = notifications::message_of({.alerts = {alert}});
    REQUIRE(reported.alerts.size() == 1);
    REQUIRE(reported.alerts[0].certificate);
    CHECK(reported.alerts[0].thread == uuid{{2}});
    CHECK(reported.alerts[0].certificate->days_remaining == c.days);
    CHECK(reported.alerts[0].certificate->subject == "CN=shop");
    CHECK(reported.alerts[0].certificate->fingerprint == "aa");
  }
}

TEST_CASE("alerts of a job's runs are of the job's thread, and say what is known of the run") {
  store::alert_details ended{.id = uuid::generate_v7(),
                             .type = "job_failed",
                             .about = uuid::generate_v7(),
                             .target_type = "job",
                             .target_name = "nightly",
                             .target = uuid::generate_v7(),
                             .custom_message = "See the book.",
                             .run = store::alert_details::run_end{"error", 1500},
                             .error_message = "The runner was lost once."};
  auto deleted = ended;
  deleted.type = "job_timeout";
  deleted.run.reset();
  auto const made = notifications::message_of({.alerts = {ended, deleted}});
  REQUIRE(made.alerts.size() == 2);
  auto const& first = made.alerts.front();
  CHECK(first.about.state == notifications::alert_target::kind::job);
  CHECK(first.about.name == "nightly");
  CHECK(first.thread == ended.target);
  CHECK(first.custom_message == "See the book.");
  CHECK(first.result->message == "The runner was lost once.");
  REQUIRE(first.run.has_value());
  CHECK(first.run->id == ended.about);
  CHECK(first.run->status == "error");
  CHECK(first.run->duration_ms == 1500);
  REQUIRE(made.alerts[1].run.has_value());
  CHECK(made.alerts[1].run->status == "timed_out");
  CHECK_FALSE(made.alerts[1].run->duration_ms.has_value());
}
