// Schedules, lost runners and retention on three real instances. Due times and ages are set in the database, so no
// test waits for a minute to pass.
#include "integration/system/faults/faults.hpp"
#include "jobs.hpp"
#include "runner.hpp"

namespace svc::test {
namespace {

constexpr milliseconds soon{30'000};

fleet& three() {
  static fleet fleet(3);
  return fleet;
}

std::string counted(fleet const& fleet, std::string const& condition) {
  return fleet.sql("SELECT count(*) FROM " + condition)[0][0];
}

/// The sum over all instances.
double metric(fleet const& fleet, std::string const& name) {
  double sum = 0;
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    auto const page = fleet.pages(i).get("/metrics").body;
    auto const position = page.find("\n" + name + " ");
    if (position != std::string::npos) sum += std::stod(page.substr(position + name.size() + 2));
  }
  return sum;
}

TEST_CASE("100 schedules that are due in the same minute make 100 runs on three instances") {
  fleet& f = three();
  auto const owner = f.make_tenant();
  auto client = f.client(0, owner.token);
  auto const job = make_job(client, R"("cronSchedule":"0 0 1 1 *")");
  auto const before = metric(f, "svc_schedule_runs_total");
  auto const maker = f.sql("SELECT created_by FROM jobs WHERE id = '" + job + "'")[0][0];
  std::string const copies = "name LIKE 'copy %' AND created_by = '" + maker + "'";
  f.sql(
      "INSERT INTO jobs (id, project_id, name, job_type, created_by, cron_schedule)"
      " SELECT gen_random_uuid(), project_id, 'copy ' || i, job_type, created_by, cron_schedule FROM jobs,"
      " generate_series(1, 100) i WHERE id = '" +
      job +
      "'; INSERT INTO job_tests (project_id, job_id, test_id, position) SELECT c.project_id, c.id, t.test_id, 0"
      " FROM jobs c, job_tests t WHERE t.job_id = '" +
      job + "' AND c." + copies + "; UPDATE jobs SET next_run_at = date_trunc('minute', now()) WHERE " + copies);
  std::string const runs = "runs WHERE trigger = 'schedule' AND job_id IN (SELECT id FROM jobs WHERE " + copies + ")";
  CHECK(comes_true([&] { return counted(f, runs) == "100"; }, soon));
  CHECK(counted(f, "(SELECT DISTINCT job_id FROM " + runs + ") each") == "100");
  CHECK(counted(f, "jobs WHERE next_run_at > now() AND " + copies) == "100");
  // Another pass of each instance adds none.
  f.sql("UPDATE jobs SET next_run_at = now() WHERE id = '" + job + "'");
  CHECK(comes_true([&] { return counted(f, "runs WHERE job_id = '" + job + "'") == "1"; }, soon));
  CHECK(counted(f, runs) == "100");
  CHECK(comes_true([&] { return metric(f, "svc_schedule_runs_total") - before == 101; }, soon));

  auto const shown = body_of(client.get("/api/jobs/" + job));
  CHECK(text_of(shown, "/nextRunAt").ends_with("-01-01T00:00:00.000Z"));
  auto const list = body_of(client.get("/api/runs?jobId=" + job));
  CHECK(text_of(list, "/data/0/trigger") == "schedule");
  CHECK(text_of(list, "/data/0/triggeredBy") == "schedule");
}

TEST_CASE("a scheduled run beyond maxConcurrentRuns is skipped, and the audit trail says so") {
  fleet& f = three();
  auto const owner = f.make_tenant();
  auto client = f.client(1, owner.token);
  auto const job = make_job(client, R"("cronSchedule":"0 0 1 1 *","maxConcurrentRuns":1)");
  REQUIRE(client.post(trigger_path(job)).status == 202);
  f.sql("UPDATE jobs SET next_run_at = now() - interval '3 days' WHERE id = '" + job + "'");
  auto const skips = [&] { return client.get("/api/audit?action=job.schedule_skipped"); };
  REQUIRE(comes_true([&] { return !body_of(skips()).at("data").as_array().empty(); }, soon));
  auto const row = body_of(skips());
  CHECK(row.at("data").as_array().size() == 1);
  CHECK(text_of(row, "/data/0/details/reason") == "max_concurrent_runs");
  CHECK(text_of(row, "/data/0/resourceId") == job);
  CHECK(text_of(row, "/data/0/actor/name") == "schedule");
  CHECK(counted(f, "runs WHERE job_id = '" + job + "'") == "1");
}

TEST_CASE(
    "a run whose runner is lost is queued again, and ends the next time; a client that waits for it is notified") {
  fleet& f = three();
  auto const owner = f.make_tenant();
  auto client = f.client(2, owner.token);
  configured_service const connection(f.dev(), both_kinds);
  auto const made = f.admin({"create-runner", "--project", owner.project, "--name", "r"});
  runner_client runner("https://" + connection.address(1), f.text("caFile"), text_of(made, "/key"));
  REQUIRE(runner.enroll().status == 200);
  auto const run = text_of(body_of(client.post(trigger_path(make_job(client)))), "/data/runId");
  auto const lose = [&] {
    f.sql("UPDATE runs SET lease_until = now() - interval '1 second' WHERE status = 'running' AND id = '" + run +
          "'");
  };
  auto const first = claims_of(runner.claim(30));
  REQUIRE(first.size() == 1);
  CHECK(runner.print(first[0], 1, "once").status == 200);
  lose();
  // The waiting claim is woken by whichever instance queues the run again.
  auto const second = claims_of(runner.claim(30));
  REQUIRE(second.size() == 1);
  CHECK(second[0].at("attempt").as_int64() == 2);
  CHECK(code_of(runner.complete(first[0], "passed")) == "claim_lost");
  CHECK(code_of(runner.heartbeat(first[0])) == "claim_lost");
  CHECK(code_of(runner.print(first[0], 2, "late")) == "claim_lost");
  CHECK(runner.print(second[0], 1, "twice").status == 200);
  lose();
  auto const ended = body_of(client.get("/api/runs/" + run + "?wait=30"));
  CHECK(text_of(ended, "/status") == "error");
  CHECK(text_of(ended, "/errorDetails").starts_with("The runner was lost 2 times"));
  CHECK(text_of(ended, "/tests/0/status") == "skipped");
  CHECK(code_of(runner.complete(second[0], "passed")) == "claim_lost");
  CHECK(comes_true(
      [&] { return counted(f, "run_output WHERE stored_at IS NOT NULL AND run_id = '" + run + "'") == "1"; }, soon));
  CHECK(client.get("/api/runs/" + run + "/output").body == "once\ntwice\n");
}

TEST_CASE("old runs are deleted by age and by count") {
  fleet& f = three();
  auto const owner = f.make_tenant();
  auto client = f.client(0, owner.token);
  auto const job = make_job(client);
  auto const ended = [&](std::string const& of_job, std::string const& ago) {
    auto const run = text_of(body_of(client.post(trigger_path(of_job))), "/data/runId");
    // A run's id says when it was made, so one from then takes its place.
    auto const then = "now() - interval '" + ago + "'";
    auto const made = f.sql(
        "INSERT INTO runs (id, project_id, job_id, job_name, job_type, status, trigger, triggered_by, test_count,"
        " timeout_seconds, created_at, queued_at, completed_at) SELECT id_at(" +
        then + ", id), project_id, job_id, job_name, job_type, 'passed', trigger, triggered_by, test_count," +
        " timeout_seconds, " + then + ", " + then + ", " + then + " FROM runs WHERE id = '" + run +
        "' RETURNING id")[0][0];
    f.sql("DELETE FROM runs WHERE id = '" + run + "'");
    return made;
  };
  auto const test = f.sql("SELECT test_id FROM job_tests WHERE job_id = '" + job + "'")[0][0];
  auto const other = text_of(
      body_of(client.post("/api/jobs", R"({"name":"k","jobType":"command","tests":[{"id":")" + test + R"("}]})")),
      "/id");
  auto const old = ended(other, "91 days"), young = ended(other, "89 days");
  auto const first = ended(job, "3 hours"), second = ended(job, "2 hours"), third = ended(job, "1 hour");
  auto const waiting = text_of(body_of(client.post(trigger_path(job))), "/data/runId");
  auto const sweeper = f.beside({"SVC_RETENTION_INTERVAL=200ms", "SVC_RETENTION_RUNS_PER_JOB=2"});
  auto const gone = [&](std::string const& run) { return client.get("/api/runs/" + run).status == 404; };
  CHECK(comes_true([&] { return gone(old) && gone(first) && gone(second); }, soon));
  for (auto const& kept : {young, third, waiting}) CHECK_FALSE(gone(kept));
  CHECK(text_of(body_of(client.get("/api/jobs/" + job)), "/lastRun/id") == waiting);
}

}  // namespace
}  // namespace svc::test
