// The facts that decide when a queued run starts.
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runs/run_store.hpp"

namespace svc::store {
namespace {

constexpr postgres::statement read_waiting{"run_waiting", R"(
SELECT q.status, limits.most, CASE WHEN limits.most IS NOT NULL THEN (
         SELECT count(*) FROM run_queue r WHERE r.project_id = $1 AND r.job_id = q.job_id AND r.status = 'running') END
  FROM run_queue q
  LEFT JOIN LATERAL (SELECT j.max_concurrent_runs::bigint AS most FROM jobs j WHERE j.id = q.job_id LIMIT 1) limits
       ON true
 WHERE q.project_id = $1 AND q.run_id = $2)"};

// A runner is alive if it asked for work, or sent a heartbeat, in the last minute.
constexpr postgres::statement read_waited_runners{"run_waiting_runners", R"(
WITH run AS MATERIALIZED (
  SELECT q.project_id, q.job_type, p.organization_id FROM run_queue q JOIN projects p ON p.id = q.project_id
   WHERE q.project_id = $1 AND q.run_id = $2
), alive AS MATERIALIZED (
  SELECT r.id, r.name, r.slots::bigint, r.last_seen_at, t.project_id IS NULL AS shared
    FROM run
    JOIN runner_tokens t ON t.organization_id = run.organization_id AND t.revoked_at IS NULL
                        AND (t.project_id IS NULL OR t.project_id = run.project_id)
    JOIN runners r ON r.token_id = t.id
   WHERE run.job_type = ANY (r.labels) AND r.last_seen_at > clock_timestamp() - interval '1 minute'
   ORDER BY r.last_seen_at DESC, r.id LIMIT 1000
)
SELECT alive.name, alive.slots, held.runs, alive.last_seen_at,
       held.runs >= alive.slots OR (alive.shared AND $3::bigint > 0 AND held.of_project >= $3)
  FROM alive CROSS JOIN LATERAL (
    SELECT count(*) AS runs, count(*) FILTER (WHERE q.project_id = $1) AS of_project
      FROM run_queue q WHERE q.runner_id = alive.id AND q.lease_until IS NOT NULL OFFSET 0) held
 ORDER BY alive.last_seen_at DESC, alive.id)"};

}  // namespace

task<result<run_waiting>> run_store::waiting(uuid project, uuid id, std::int64_t most_of_project, deadline until) {
  std::vector<postgres::query> both{{read_waiting, postgres::parameters(project, id)},
                                    {read_waited_runners, postgres::parameters(project, id, most_of_project)}};
  std::vector<postgres::rows> const found = settled(co_await db_.run(std::move(both), until));
  if (found[0].empty()) {
    // A run leaves the queue once, for its results.
    auto const end = co_await progress(project, id, until);
    co_return end ? errc::run_already_over : errc::not_found;
  }
  auto const first = found[0].front();
  run_waiting out{
      .status = std::string(first.text(0)), .limit = first.maybe_integer(1), .running = first.maybe_integer(2)};
  for (int i = 0; i < found[1].size(); ++i) {
    auto const r = found[1][i];
    out.runners.push_back({.name = std::string(r.text(0)),
                           .slots = r.integer(1),
                           .busy = r.integer(2),
                           .last_seen_at = r.time(3),
                           .full = r.boolean(4)});
  }
  co_return out;
}

}  // namespace svc::store
