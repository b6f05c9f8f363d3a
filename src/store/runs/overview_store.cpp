#include "svc/store/runs/overview_store.hpp"

#include "store/runs/run_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace svc::store {

namespace {

/// The most runs of one status and trigger that are counted.
constexpr std::int64_t most_counted_runs = 10'001;
constexpr std::int64_t queued_at_least = 10'000;
constexpr std::int64_t micros_of_hour = 3'600'000'000;

// Reads the last run of each job of the project, as the list of jobs by status does.
constexpr auto overview_jobs_sql =
    sql("SELECT j.id, j.name, coalesce(r.status, 'pending'), j.next_run_at FROM jobs j LEFT JOIN LATERAL"
        " (SELECT s.status FROM (SELECT h.id FROM run_history h WHERE h.job_id = j.id ORDER BY h.id DESC LIMIT 1) n",
        run_state("n.id"),
        ") r ON true WHERE j.project_id = $1 AND j.deleted_at IS NULL"
        " ORDER BY coalesce(r.status, '') IN ('failed', 'error', 'timed_out') DESC, j.name, j.id LIMIT 100");
constexpr postgres::statement overview_jobs{"overview_jobs", overview_jobs_sql};

// The index of a job's results has the status before the id, so the lists of the statuses are merged. $1: jobs.
constexpr postgres::statement overview_statistics{"overview_statistics", R"(
SELECT j.id, count(*), count(*) FILTER (WHERE r.status = 'passed'),
       round(extract(epoch FROM percentile_cont(0.5) WITHIN GROUP (ORDER BY r.took)
                                  FILTER (WHERE r.status = 'passed')) * 1000)::bigint,
       (array_agg(r.status ORDER BY r.run_id DESC))[1:10]
  FROM unnest($1::uuid[]) j (id) CROSS JOIN LATERAL (
    SELECT * FROM (SELECT e.* FROM (VALUES ('passed'), ('failed'), ('error'), ('timed_out')) s (status)
      CROSS JOIN LATERAL (SELECT r.status, r.run_id, r.completed_at - r.started_at AS took FROM run_results r
        WHERE r.job_id = j.id AND r.status = s.status ORDER BY r.run_id DESC LIMIT 100) e) each
    ORDER BY run_id DESC LIMIT 100) r
 GROUP BY j.id)"};

// An id starts with the time of the trigger, so the bounds of the hours are ids. They are whole milliseconds, as in
// queries of the list of runs, which has equal counts. Each range is read from the index
// alone. $2: `most_counted_runs`.
constexpr postgres::statement overview_day{"overview_day", R"(
SELECT s.status, t.trigger, width_bucket(r.run_id, (SELECT array_agg(first_id_at(date_trunc('milliseconds', now()) - n * interval '1 hour') ORDER BY n DESC)
                                                      FROM generate_series(1, 24) n)) AS hour, count(*)
  FROM (VALUES ('passed'), ('failed'), ('error'), ('timed_out'), ('cancelled')) s (status)
 CROSS JOIN (VALUES ('remote'), ('schedule'), ('manual')) t (trigger)
 CROSS JOIN LATERAL (
    SELECT e.run_id FROM run_results e
     WHERE e.project_id = (SELECT $1::uuid) AND e.status = s.status AND e.trigger = t.trigger
       AND e.run_id >= (SELECT first_id_at(date_trunc('milliseconds', now()) - interval '24 hours')) LIMIT (SELECT $2::bigint)) r
 GROUP BY s.status, t.trigger, hour)"};

// All statements of one read see the same now(), which is that of their transaction. $2: most queued runs to count.
constexpr postgres::statement overview_queue_of{"overview_queue", R"(
SELECT date_trunc('milliseconds', now()), count(*), min(w.queued_at),
       (SELECT count(*) FROM run_queue r WHERE r.project_id = (SELECT $1::uuid) AND r.status = 'running')
  FROM (SELECT q.queued_at FROM run_queue q
         WHERE q.project_id = (SELECT $1::uuid) AND q.status = 'queued' AND NOT q.limited
        UNION ALL
        SELECT q.queued_at FROM run_queue q
         WHERE q.project_id = (SELECT $1::uuid) AND q.status = 'queued' AND q.limited
        LIMIT (SELECT $2::bigint)) w)"};

constexpr postgres::statement overview_monitors_of{"overview_monitors", R"(
SELECT CASE WHEN m.enabled THEN (SELECT v.verdict FROM monitor_status v WHERE v.monitor_id = m.id LIMIT 1)
            ELSE 'paused' END AS status, count(*)
  FROM monitors m WHERE m.project_id = $1 AND m.deleted_at IS NULL GROUP BY status)"};

constexpr postgres::statement overview_outages{"overview_outages", R"(
SELECT count(*) FROM outages o WHERE o.project_id = $1 AND o.ended_at IS NULL)"};

std::vector<overview_job> read_overview_jobs(postgres::rows const& found) {
  std::vector<overview_job> out;
  out.reserve(static_cast<std::size_t>(found.size()));
  for (int i = 0; i < found.size(); ++i)
    out.push_back({.id = found[i].id(0),
                   .name = std::string(found[i].text(1)),
                   .status = std::string(found[i].text(2)),
                   .next_run_at = found[i].maybe_time(3)});
  return out;
}

/// Jobs without a counted run have no row.
void add_statistics(std::vector<overview_job>& jobs, postgres::rows const& found) {
  std::map<uuid, overview_job*> by_id;
  for (auto& job : jobs) by_id[job.id] = &job;
  for (int i = 0; i < found.size(); ++i) {
    auto& job = *by_id.at(found[i].id(0));
    job.runs = found[i].integer(1);
    job.passed = found[i].integer(2);
    job.median_ms = found[i].maybe_integer(3);
    job.last_statuses = found[i].texts(4);
  }
}

std::vector<counted_runs_of_hour> read_counts(postgres::rows const& found) {
  std::vector<counted_runs_of_hour> out;
  for (int i = 0; i < found.size(); ++i)
    out.push_back({.status = std::string(found[i].text(0)),
                   .trigger = std::string(found[i].text(1)),
                   .hour = found[i].integer(2),
                   .runs = found[i].integer(3)});
  return out;
}

overview_monitors read_monitor_counts(postgres::rows const& found) {
  overview_monitors out;
  std::pair<std::string_view, std::int64_t*> const places[] = {{"up", &out.up},           {"degraded", &out.degraded},
                                                               {"down", &out.down},       {"error", &out.error},
                                                               {"pending", &out.pending}, {"paused", &out.paused}};
  for (int i = 0; i < found.size(); ++i)
    for (auto const& [name, place] : places)
      if (name == found[i].text(0)) *place += found[i].integer(1);
  return out;
}

}  // namespace

overview_runs sum_of_runs(std::vector<counted_runs_of_hour> const& counts, timestamp as_of, std::int64_t most) {
  overview_runs out;
  std::pair<std::string_view, std::int64_t*> const places[] = {{"passed", &out.passed},
                                                               {"failed", &out.failed},
                                                               {"error", &out.error},
                                                               {"timed_out", &out.timed_out},
                                                               {"cancelled", &out.cancelled}};
  constexpr std::int64_t hours = 24;
  for (std::int64_t i = 0; i < hours; ++i)
    out.hours.push_back({.start = timestamp{as_of.micros - (hours - i) * micros_of_hour}});
  std::map<std::pair<std::string_view, std::string_view>, std::int64_t> ranges;
  for (auto const& each : counts) {
    for (auto const& [name, place] : places)
      if (name == each.status) *place += each.runs;
    auto& hour = out.hours[static_cast<std::size_t>(std::clamp<std::int64_t>(each.hour, 1, hours) - 1)];
    (each.status == "passed" ? hour.passed : hour.not_passed) += each.runs;
    if ((ranges[{each.status, each.trigger}] += each.runs) >= most) out.at_least = true;
  }
  if (out.at_least) out.hours.clear();
  return out;
}

task<overview> overview_store::read(uuid project, deadline until) {
  auto const most_queued = std::max(queued_at_least, static_cast<std::int64_t>(quotas_.queued_runs));
  std::vector<postgres::query> ask{{overview_queue_of, postgres::parameters(project, most_queued)},
                                   {overview_jobs, postgres::parameters(project)},
                                   {overview_day, postgres::parameters(project, most_counted_runs)},
                                   {overview_monitors_of, postgres::parameters(project)},
                                   {overview_outages, postgres::parameters(project)}};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  auto const queue = found[0].front();
  overview out{
      .jobs = read_overview_jobs(found[1]),
      .queue = {.queued = queue.integer(1), .running = queue.integer(3), .oldest_queued_at = queue.maybe_time(2)},
      .monitors = read_monitor_counts(found[3]),
      .open_outages = found[4].front().integer(0),
      .as_of = queue.time(0)};
  out.last_day = sum_of_runs(read_counts(found[2]), out.as_of, most_counted_runs);
  if (out.jobs.empty()) co_return out;
  std::vector<uuid> ids;
  for (auto const& job : out.jobs) ids.push_back(job.id);
  postgres::query statistics{overview_statistics, postgres::parameters(ids)};
  add_statistics(out.jobs, settled(co_await db_.run(std::move(statistics), until)));
  co_return out;
}

}  // namespace svc::store
