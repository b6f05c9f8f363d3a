// Overviews and bars read only what they show, through indexes.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/monitors/check_history.hpp"
#include "svc/store/runs/overview_store.hpp"

#include <string>

using namespace svc;
using namespace svc::test;

namespace {

/// 1 000 jobs with 100 runs each, 3 000 queued runs and 1 000 monitors in each of two projects; in nine partitions of
/// runs. Each monitor has 40 outages, results of 30 packed and two unpacked hours.
void fill_project(watched_shop& db) {
  db.partition_runs();
  db.fill_monitors(2000);
  std::string const project =
      "(ARRAY['" + db.project.to_string() + "', '" + db.other_project.to_string() + "']::uuid[])";
  db.as_owner(
      "INSERT INTO jobs (id, project_id, name, job_type, created_by) SELECT gen_random_uuid(), " + project +
      "[1 + i % 2], 'job ' || i, 'command', '" + db.ada.to_string() +
      "' FROM generate_series(1, 2000) i;"
      "UPDATE monitors SET project_id = '" +
      db.other_project.to_string() +
      "' WHERE right(name, 1) IN ('1', '3', '5', '7', '9');"
      "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
      " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), project_id, id, t, t, CASE WHEN n > "
      "1"
      " OR name LIKE '%11' THEN t + interval '5 minutes' END, CASE WHEN n > 1 OR name LIKE '%11' THEN 'recovered' "
      "END,"
      " 1, '', 'local', '{local}' FROM (SELECT m.*, n, now() - n * interval '2 hours' AS t FROM monitors m,"
      " generate_series(1, 40) n) o;"
      "UPDATE check_packing SET hour = extract(epoch FROM now())::bigint / 3600 - 2, after = NULL;"
      "INSERT INTO check_hours (ring, hour, monitor_id, location_id, checks, up, down, observed, sum_ms, times,"
      " results) SELECT h / 24 % 40, h, m.id, '00000000-0000-0000-0000-000000000000', 60, 60, 0, 3600, 1000, '', ''"
      " FROM monitors m, generate_series(extract(epoch FROM now())::bigint / 3600 - 31,"
      " extract(epoch FROM now())::bigint / 3600 - 2) h;"
      "INSERT INTO check_raw (ring, hour, monitor_id, location_id, started_ms, covers, result) SELECT s / 3600 % 8,"
      " s / 3600, m.id, '00000000-0000-0000-0000-000000000000', s * 1000, 60, '' FROM monitors m,"
      " generate_series((extract(epoch FROM now())::bigint / 3600 - 1) * 3600, extract(epoch FROM now())::bigint,"
      " 60) s");
  db.fill_runs(
      "SELECT j.project_id, j.id, (ARRAY['remote', 'schedule', 'manual'])[1 + n % 3], (ARRAY['passed', 'passed',"
      " 'failed', 'error', 'timed_out', 'cancelled'])[1 + n % 6], now() - random() * random() * interval '75 days'"
      " FROM jobs j, generate_series(1, 100) n");
  db.fill_runs(
      "SELECT j.project_id, j.id, 'remote', CASE WHEN n = 4 THEN 'running' ELSE 'queued' END, now() FROM jobs j,"
      " generate_series(1, 4) n");
  db.as_owner("UPDATE run_queue SET limited = true WHERE right(run_id::text, 1) < '4' AND status = 'queued'");
  db.as_owner("VACUUM ANALYZE run_results");
  db.as_owner("ANALYZE");
}

/// Returns the blocks that a plan has read.
std::int64_t blocks_of(std::string const& plan) {
  std::string const hit = "Buffers: shared hit=";
  auto const position = plan.find(hit);
  return position == std::string::npos ? 0 : std::stoll(plan.substr(position + hit.size()));
}

std::string ids_by(watched_shop& db, std::string const& table) {
  return "'{" +
         db.words("SELECT string_agg(id::text, ',') FROM (SELECT id FROM " + table + " WHERE project_id = '" +
                  db.project.to_string() + "' LIMIT 100) few") +
         "}'";
}

}  // namespace

TEST_CASE("the overview and bars of a project are read through indexes") {
  watched_shop db;
  fill_project(db);
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::overview_store overviews(pool);
  store::check_history history(pool);
  CHECK(db.wait(overviews.read(db.project, db.soon())).jobs.size() == 100);
  auto const now = system_now();
  auto const monitor =
      uuid::parse(db.words("SELECT min(id::text) FROM monitors WHERE project_id = '" + db.project.to_string() + "'"));
  CHECK(db.wait(history.bars(db.project, {monitor.value()}, now, db.soon())).size() == 1);

  std::string const project = "'" + db.project.to_string() + "'", jobs = ids_by(db, "jobs"),
                    monitors = ids_by(db, "monitors");
  constexpr std::int64_t hour = 3'600'000'000;
  auto const last = now.micros / hour + 1, first = last - 24;
  auto const text = [](std::int64_t number) { return std::to_string(number); };
  std::string const hours = text(first) + ", " + text(last);
  std::string const days = text(first / 24 % 40) + ", " + text((last - 1) / 24 % 40);
  std::vector<plan_case> const cases{
      {"overview_jobs", project, {"job_id_id_trigger_idx", "run_queue_pkey"}},
      {"overview_statistics", jobs, {"job_id_status_run_id_trigger_idx"}},
      {"overview_day", project + ", 10001", {"Index Only Scan", "project_id_status_trigger_run_id_idx"}},
      {"overview_queue",
       project + ", 10000",
       {"run_queue_to_claim", "run_queue_to_claim_limited", "run_queue_running"}},
      {"overview_monitors", project, {"on monitors m", "monitors_", "monitor_status_pkey"}},
      {"overview_outages", project, {"outages_open_of_project"}},
      {"bars_observed",
       project + ", " + monitors + ", " + hours + ", " + days + ", " + text(now.micros / 1000),
       {"_pkey on check_hours_", "monitor_id_location_id_started_ms_idx"}},
      {"bars_downtime", monitors + ", " + hours, {"outages_of_monitor"}},
  };
  db.check_plans(pool, cases, [](plan_case const&, std::string const& plan) {
    for (auto const* table : {"Seq Scan on run_", "Seq Scan on jobs", "Seq Scan on monitor", "Seq Scan on outages",
                              "Seq Scan on check_hours", "Seq Scan on check_raw"}) {
      CAPTURE(table);
      CHECK(plan.find(table) == std::string::npos);
    }
    CHECK(blocks_of(plan) < 50'000);
  });
}
