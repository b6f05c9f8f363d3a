// The cost of ending a run and of writing its alerts does not depend on the number of jobs and ends.
#include "runner_fixture.hpp"
#include "support/comes_true.hpp"
#include "svc/store/runs/run_alert_store.hpp"

using namespace svc;
using namespace svc::test;

namespace {

/// 3 000 jobs with alerts, 2 000 providers, and 20 000 ended runs without any alert yet.
void fill_alarmed(machine& db, uuid job) {
  std::string const project = "'" + db.project.to_string() + "'::uuid";
  db.as_owner(
      "INSERT INTO notification_providers (id, project_id, name, type, config) SELECT gen_random_uuid(), " + project +
      ", 'p' || i, 'webhook', '{}' FROM generate_series(1, 2000) i;"
      "INSERT INTO jobs (id, project_id, name, job_type, created_by, alert_config) SELECT gen_random_uuid(), " +
      project + ", 'job ' || i, 'command', '" + db.ada.to_string() +
      "', jsonb_build_object('enabled', true, 'notificationProviders', jsonb_build_array((SELECT id FROM"
      " notification_providers WHERE name = 'p' || (1 + i % 2000)))) FROM generate_series(1, 3000) i;"
      "UPDATE jobs SET alert_config = (SELECT alert_config FROM jobs WHERE name = 'job 1') WHERE id = '" +
      job.to_string() + "'");
  db.partition_runs();
  db.fill_runs("SELECT " + project +
               ", j.id, 'remote', 'passed', now() - interval '1 day' - i * interval '1 minute'"
               " FROM jobs j, generate_series(1, 7) i");
  db.as_owner("ANALYZE");
  // The table is not analysed, as if it filled between two looks.
  db.as_owner("INSERT INTO run_alerts_due (job_id, run_id, status) SELECT job_id, run_id, 'failed' FROM run_results");
}

}  // namespace

TEST_CASE("ending a run and its notification read only the rows that belong to it") {
  machine db;
  uuid const job = db.make_job("told", {db.make_test("script").id}).id;
  fill_alarmed(db, job);
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::runner_store runners(pool, db.master, std::chrono::seconds(30));
  store::run_alert_store reported(pool);
  auto const ask = [&](std::string name, std::string const& sql) {
    return std::string(db.wait(pool.run(postgres::query{{name, sql}}, db.soon())).value().front().text(0));
  };
  auto const read_whole = [&] {
    ask("flush", "SELECT pg_stat_force_next_flush()::text");
    return ask("seen",
               "SELECT string_agg(relname || ' ' || seq_tup_read, ', ' ORDER BY relname) FROM pg_stat_user_tables"
               " WHERE relname IN ('run_alerts_due', 'job_streaks', 'jobs', 'notification_providers', 'run_queue')"
               " OR relname LIKE 'run_results%'");
  };
  // The reads of other sessions are known only after these sessions have ended.
  postgres::query const owners{{"owners_left",
                                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                " AND usename = 'svc'"}};
  for (auto const* mode : {"force_custom_plan", "force_generic_plan"}) {
    CAPTURE(mode);
    REQUIRE(comes_true([&] { return db.number(owners) == 0; }, std::chrono::seconds(20)));
    ask(mode, std::string("SELECT set_config('plan_cache_mode', '") + mode + "', false)");
    auto const before = read_whole();
    for (int i = 0; i < 3; ++i) {
      db.make_runs(job, 1);
      auto const run = db.claim();
      REQUIRE(run.size() == 1);
      REQUIRE(db.wait(runners.complete(db.secret, {run[0].run, run[0].claim, "failed"}, db.soon())).has_value());
      auto const done = db.wait(reported.evaluate(50, 20, db.soon()));
      CHECK(done.runs >= 350);
      CHECK(done.more);
    }
    CHECK(read_whole() == before);
  }
}
