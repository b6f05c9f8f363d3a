// Tests the content of a message about a job's run.
#include "delivery_fixture.hpp"

#include "svc/store/runs/run_alert_store.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("a message shows the run's result as it is stored, and the job's own words") {
  telling_shop db;
  auto const hook = db.make_provider("webhook");
  job_settings set{.name = "nightly", .job_type = "command", .tests = {db.make_test("t").id}};
  set.alert_config = R"({"enabled":true,"customMessage":"See the book.","alertOnRecovery":true,)"
                     R"("notificationProviders":[")" +
                     hook.to_string() + "\"]}";
  set.alert_providers = {hook};
  auto const job = db.wait(db.jobs.create(db.as_ed(), db.ed, std::move(set), db.soon()))->id;
  auto const ends = [&](std::string const& status) {
    auto const run = db.make_run(job).run;
    db.set_run(run,
               "status = '" + status +
                   "', started_at = now() - interval '90 s', completed_at = now(), error_details = 'No such file.'");
    db.as_owner("INSERT INTO run_alerts_due (job_id, run_id, status) VALUES ('" + job.to_string() + "', '" +
                run.to_string() + "', '" + status + "')");
    CHECK(db.wait(store::run_alert_store(db.pool).evaluate(50, 20, db.soon())).runs == 1);
    return run;
  };
  auto const failed = ends("failed");
  auto const message = db.claim_one();
  REQUIRE(message.alerts.size() == 1);
  auto const& reported = message.alerts.front();
  CHECK(reported.type == "job_failed");
  CHECK(reported.about == failed);
  CHECK(reported.target == job);
  CHECK(reported.target_name == "nightly");
  CHECK(reported.custom_message == "See the book.");
  CHECK(reported.error_message == "No such file.");
  REQUIRE(reported.run.has_value());
  CHECK(reported.run->status == "failed");
  CHECK(reported.run->duration_ms == 90'000);
  db.sent(message);
  // If a run is deleted before its message is sent, only the alert itself is left.
  auto const passed = ends("passed");
  REQUIRE(db.wait(db.runs.remove(db.as_ed(), passed, db.soon())).has_value());
  auto const next = db.claim_one();
  CHECK(next.alerts.front().type == "job_recovered");
  CHECK_FALSE(next.alerts.front().run.has_value());
  CHECK_FALSE(next.alerts.front().outage.has_value());
}
