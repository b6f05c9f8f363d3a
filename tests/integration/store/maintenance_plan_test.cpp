// Which indexes serve the statements that every instance runs every second or every minute.
#include "shop.hpp"
#include "svc/store/jobs/job_store.hpp"
#include "svc/store/runners/runner_store.hpp"
#include "svc/store/runs/queue_store.hpp"
#include "svc/store/runs/run_store.hpp"

using namespace svc;
using namespace svc::test;

namespace {

/// 5 000 scheduled jobs, 20 of them due, and 50 000 ended, 200 running and 2 000 queued runs.
void fill_for_maintenance(shop& db) {
  db.partition_runs();
  uuid const test = db.make_test("t").id;
  std::string const project = "'" + db.project.to_string() + "'";
  db.as_owner(
      "INSERT INTO jobs (id, project_id, name, job_type, created_by, cron_schedule, next_run_at)"
      " SELECT gen_random_uuid(), " +
      project + ", 'job ' || i, 'command', '" + db.ada.to_string() +
      "', '0 0 1 1 *', now() + CASE WHEN i % 250 = 0 THEN -1 ELSE i END * interval '1 minute'"
      " FROM generate_series(1, 5000) i;"
      "INSERT INTO job_tests (project_id, job_id, test_id, position) SELECT project_id, id, '" +
      test.to_string() +
      "', 0 FROM jobs WHERE cron_schedule IS NOT NULL;"
      "CREATE TABLE maker AS SELECT id, row_number() OVER (ORDER BY id) AS n FROM jobs WHERE cron_schedule IS NOT "
      "NULL");
  // Some of just now, because PostgreSQL reads a nearly empty partition, such as that of today, without its index.
  db.fill_runs(
      "SELECT " + project +
      "::uuid, m.id, 'remote', CASE WHEN i > 52000 THEN 'running' WHEN i > 50000 THEN 'queued' ELSE 'passed' END,"
      " now() - i * CASE WHEN i % 7 = 0 THEN interval '1 us' ELSE interval '2.2 minutes' END FROM generate_series(0, "
      "52199) i JOIN maker m ON m.n = 1 + i % 50");
  // 20 000 runs of single tests.
  db.fill_runs("SELECT " + project +
               "::uuid, NULL::uuid, 'remote', 'passed', now() - i * interval '5 minutes' FROM generate_series(1, "
               "20000) i");
  for (auto const* table : {"run_history", "run_results", "run_queue"})
    db.as_owner(std::string("VACUUM ANALYZE ") + table);
  db.as_owner("ANALYZE");
}

}  // namespace

TEST_CASE("the upkeep of runs reads only through indexes") {
  shop db;
  fill_for_maintenance(db);
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  // As the service prepares them; nothing is old enough yet.
  CHECK(db.wait(store::schedule_store(pool).fire(1, db.soon())).size() == 1);
  CHECK(db.wait(store::schedule_store(pool).mend({}, 500, db.soon())).given == 0);
  CHECK(db.wait(store::reaper_store(pool).reap(100, 1, db.soon())).empty());
  CHECK(db.wait(store::queue_store(pool).look(1'000, db.soon())).queued > 0);
  store::retention_store retention(pool);
  CHECK(db.wait(retention.delete_older(std::chrono::hours(24 * 365), 500, db.soon())) == 0);
  using run_owner = store::retention_store::run_owner;
  auto const found = db.wait(retention.find_surplus(run_owner::job, {}, 500, 10'000, db.soon()));
  REQUIRE_FALSE(found.owners.empty());
  CHECK(db.wait(retention.delete_excess(found.owners[0], 1, db.soon())) == 1);
  auto const single = db.wait(retention.find_surplus(run_owner::project, {}, 10'000, 50, db.soon()));
  REQUIRE(single.owners.size() == 1);
  CHECK(db.wait(retention.delete_excess(single.owners[0], 1, db.soon())) == 1);
  // Every fifth scheduled job is deleted. The runs belong to the first fifty jobs.
  db.as_owner(
      "UPDATE jobs SET deleted_at = now() - n * interval '1 minute' FROM maker m WHERE m.id = jobs.id AND"
      " n % 5 = 0; ANALYZE jobs");
  CHECK(db.wait(retention.delete_runs_of_deleted_jobs(db.project, 500, 1, db.soon())) >= 0);
  std::vector<plan_case> const cases{
      {"schedule_any", "", {"jobs_due"}},
      {"schedule_take", "100", {"jobs_due"}},
      {"schedule_find_lost", "NULL, 500", {"jobs_without_next_run"}},
      {"reaper_reap", "100, 1", {"run_queue"}},
      {"queue_look", "1000", {"run_queue_pkey"}},
      {"retention_delete_old", "2592000000, 500", {"run_results_before_pkey"}},
      {"retention_find_excess", "NULL, 50, 500", {"job_id_id_trigger_idx"}},
      {"retention_delete_surplus",
       "'" + found.owners[0].owner.to_string() + "', '" + found.owners[0].run.to_string() + "', 500",
       {"job_id_id_trigger_idx", "run_results_before_pkey"}},
      {"retention_find_single", "NULL, 50, 10000", {"project_id_id_idx"}},
      {"retention_delete_single",
       "'" + db.project.to_string() + "', '" + single.owners[0].run.to_string() + "', 500",
       {"project_id_id_idx", "run_results_before_pkey"}},
      {"retention_delete_of_deleted",
       "'" + db.project.to_string() + "', 500, 500",
       {"jobs_deleted", "job_id_id_trigger_idx"}},
  };
  db.check_plans(pool, cases, [](plan_case const&, std::string const& plan) {
    for (auto const* table : {"Seq Scan on run_history", "Seq Scan on run_results"})
      CHECK(plan.find(table) == std::string::npos);
  });
}
