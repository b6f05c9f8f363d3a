#include "svc/store/reaper_store.hpp"

#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {
namespace {

// Reads all running runs: there are as many as runners have slots, and an index by lease would make each heartbeat
// write to all indexes. Tests that were not reached end as those of a result (`executor_complete`) do.
constexpr postgres::statement reap_runs{"reaper_reap", R"(
WITH lost AS (
  SELECT r.id, CASE WHEN r.cancel_requested_at IS NOT NULL THEN 'cancelled'
                    WHEN allowed.passed THEN 'timed_out'
                    WHEN r.lost_claims < $2::bigint THEN 'queued'
                    ELSE 'error' END AS fate
    FROM runs r CROSS JOIN LATERAL (
      SELECT coalesce(r.started_at + r.timeout_seconds * interval '1 second' + interval '60 seconds'
                      < statement_timestamp(), false) AS passed) allowed
   WHERE r.status = 'running' AND (r.lease_until < statement_timestamp() OR allowed.passed)
   LIMIT $1 FOR NO KEY UPDATE OF r SKIP LOCKED
), freed AS (
  UPDATE runs r SET status = lost.fate, claim_id = NULL, lease_until = NULL,
         executor_id = CASE WHEN lost.fate = 'queued' THEN NULL ELSE r.executor_id END,
         started_at = CASE WHEN lost.fate = 'queued' THEN NULL ELSE r.started_at END,
         completed_at = CASE WHEN lost.fate = 'queued' THEN NULL ELSE clock_timestamp() END,
         lost_claims = r.lost_claims + CASE WHEN r.lease_until < statement_timestamp() THEN 1 ELSE 0 END,
         error_details = CASE lost.fate
           WHEN 'error' THEN 'The executor was lost ' || CASE r.lost_claims + 1 WHEN 1 THEN 'once'
             ELSE r.lost_claims + 1 || ' times' END || ': its lease ended without a result.'
           WHEN 'timed_out' THEN 'The run took longer than its ' || r.timeout_seconds || ' seconds.' END,
         tests = CASE WHEN lost.fate = 'queued' THEN r.tests ELSE (
           SELECT coalesce(jsonb_agg(CASE WHEN t.of ->> 'status' IN ('queued', 'running')
                                          THEN t.of || jsonb_build_object('status', CASE lost.fate
                                            WHEN 'cancelled' THEN 'cancelled' ELSE 'skipped' END)
                                          ELSE t.of END ORDER BY t.place), '[]')
             FROM jsonb_array_elements(r.tests) WITH ORDINALITY t (of, place)) END,
         version = r.version + 1, updated_at = clock_timestamp()
    FROM lost, projects p WHERE r.id = lost.id AND p.id = r.project_id
  RETURNING r.id, r.attempt, r.status, p.organization_id, r.project_id, r.job_type, r.limited
), due AS (
  INSERT INTO run_output (run_id) SELECT id FROM freed WHERE status <> 'queued' ON CONFLICT DO NOTHING
)
SELECT id, attempt, status, organization_id, project_id, job_type, limited FROM freed)"};

}  // namespace

task<std::vector<reaped_run>> reaper_store::reap(std::int64_t most, std::int64_t retries, deadline until) {
  postgres::query ask{reap_runs, postgres::parameters(most, retries)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<reaped_run> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    out.push_back(
        {r.id(0), r.integer(1), std::string(r.text(2)), r.id(3), r.id(4), std::string(r.text(5)), r.boolean(6)});
  }
  co_return out;
}

}  // namespace svc::store
