#include "svc/store/runs/queue_store.hpp"

#include "store/sql/run_alerts_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"

namespace svc::store {
namespace {

// Reads by the primary key, which is the order of triggers. An index of only the queued runs would be read whole,
// because it begins with the project.
constexpr postgres::statement look_at_queue{"queue_look", R"(
WITH oldest AS MATERIALIZED (SELECT status, limited, queued_at FROM run_queue ORDER BY run_id LIMIT $1),
seen AS (SELECT count(*) AS runners, coalesce(sum(slots), 0) AS slots FROM runners
          WHERE last_seen_at > clock_timestamp() - interval '1 minute')
SELECT count(*) FILTER (WHERE status = 'queued' AND NOT limited), count(*) FILTER (WHERE status = 'queued' AND limited),
       count(*) FILTER (WHERE status = 'running'),
       greatest(0, coalesce(1000 * extract(epoch FROM clock_timestamp()
         - min(queued_at) FILTER (WHERE status = 'queued' AND NOT limited)), 0))::bigint,
       (SELECT runners FROM seen), (SELECT slots FROM seen)
  FROM oldest)"};

constexpr postgres::statement count_waiting{"queue_count_before",
                                            "SELECT count(*) FROM run_queue WHERE queued_at < $1"};

// As the reaper ends a run: without its claim id, so that a late result finds no claim. Nothing that never began has
// output.
constexpr auto end_waiting_sql = sql(R"(
WITH old AS MATERIALIZED (
  SELECT q.run_id, p.organization_id FROM run_queue q JOIN projects p ON p.id = q.project_id
   WHERE q.queued_at < $1 ORDER BY q.run_id LIMIT $3 FOR UPDATE OF q
), gone AS (
  DELETE FROM run_queue q USING old WHERE q.run_id = old.run_id
  RETURNING q.run_id, q.project_id, q.job_id, q.trigger, q.attempt, q.runner_id, q.started_at, q.version,
            old.organization_id
), ended AS (
  INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, runner_id, started_at, error_details,
                           reported, version)
  SELECT run_id, project_id, job_id, trigger, 'error', attempt, runner_id, started_at, $2::text, '[]', version + 1
    FROM gone
  RETURNING run_id, job_id, status
), )",
                                     run_alerts_due("ended"), R"(, due AS (
  INSERT INTO run_output (run_id) SELECT run_id FROM gone WHERE attempt > 0 ON CONFLICT DO NOTHING
), audited AS (
  INSERT INTO audit_log (id, organization_id, project_id, action, actor_name, resource, resource_id, details)
  SELECT id_at(clock_timestamp(), gen_random_uuid()), organization_id, project_id, 'run.ended', 'operator', 'run', run_id,
         jsonb_build_object('reason', $2::text)
    FROM gone
)
SELECT run_id, project_id, job_id, attempt::bigint FROM gone)");
constexpr postgres::statement end_waiting{"queue_end", end_waiting_sql};

}  // namespace

task<std::int64_t> queue_store::count(timestamp before, deadline until) {
  postgres::query ask{count_waiting, postgres::parameters(before)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return found.front().integer(0);
}

task<std::vector<operator_ended_run>> queue_store::end(timestamp before, std::string reason, std::int64_t most,
                                                       deadline until) {
  postgres::query ask{end_waiting, postgres::parameters(before, std::move(reason), most)};
  postgres::rows const done = settled(co_await db_.run(std::move(ask), until));
  std::vector<operator_ended_run> out;
  for (int i = 0; i < done.size(); ++i) {
    auto const r = done[i];
    out.push_back({.run = r.id(0), .project = r.id(1), .job = r.maybe_id(2), .attempt = r.integer(3)});
  }
  co_return out;
}

task<queue_summary> queue_store::look(std::int64_t most, deadline until) {
  postgres::query ask{look_at_queue, postgres::parameters(most)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  auto const r = found.front();
  co_return queue_summary{.queued = r.integer(0),
                          .limited = r.integer(1),
                          .running = r.integer(2),
                          .oldest = std::chrono::milliseconds(r.integer(3)),
                          .runners = r.integer(4),
                          .slots = r.integer(5)};
}

}  // namespace svc::store
