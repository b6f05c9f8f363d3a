#include "svc/store/runner_store.hpp"

#include "store/runners/runner_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {

namespace {

// The columns that `read_freed` reads: the freed run; if there is none, whether an identical request freed it before,
// and whether the claim holds (then another statement was changing the run, and this snapshot is too old).
#define SVC_FREED                                                                                                    \
  ", freed.id, freed.attempt, freed.status, freed.organization_id, freed.project_id, freed.job_type, freed.limited," \
  " EXISTS (SELECT FROM runs r WHERE r.id = $2 AND r.claim_id = $3 AND r.completed_at IS NOT NULL AND r.status = "   \
  "$4),"                                                                                                             \
  " EXISTS (SELECT FROM auth, projects p, runs r WHERE" SVC_FENCED ") FROM (VALUES (1)) one LEFT JOIN freed ON true"
#define SVC_FREED_COLUMNS \
  " RETURNING r.id, r.attempt, r.status, p.organization_id, r.project_id, r.job_type, r.limited"
// Inserts the same row as `output_due`, but within this statement: only if the run ends here.
#define SVC_OUTPUT_DUE \
  ", due AS (INSERT INTO run_output (run_id) SELECT id FROM freed WHERE status <> 'queued' ON CONFLICT DO NOTHING)"

constexpr postgres::statement release_run{"executor_release", "WITH " SVC_RUNNER_AUTH R"(, freed AS (
  UPDATE runs r SET status = CASE WHEN r.cancel_requested_at IS NULL THEN 'queued' ELSE $4 END,
         completed_at = CASE WHEN r.cancel_requested_at IS NULL THEN NULL ELSE clock_timestamp() END,
         claim_id = CASE WHEN r.cancel_requested_at IS NULL THEN NULL ELSE r.claim_id END,
         started_at = CASE WHEN r.cancel_requested_at IS NULL THEN NULL ELSE r.started_at END,
         lease_until = NULL, executor_id = NULL, version = r.version + 1, updated_at = clock_timestamp()
    FROM auth, projects p WHERE)" SVC_FENCED SVC_FREED_COLUMNS ")" SVC_OUTPUT_DUE "SELECT" SVC_TOKEN_STATE SVC_FREED};
#undef SVC_OUTPUT_DUE
#undef SVC_FREED_COLUMNS
#undef SVC_FREED

constexpr std::string_view cancelled = "cancelled";

// Scans all running runs: there are no more than runners have slots, and with an index by lease each heartbeat would
// write to all indexes. Tests that were not reached end as they do for a result (`executor_complete`).
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
           WHEN 'error' THEN 'The runner was lost ' || CASE r.lost_claims + 1 WHEN 1 THEN 'once'
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

std::optional<result<freed_run>> read_freed(postgres::row r) {
  if (auto const refused = runner_refusal(r)) return result<freed_run>(*refused);
  if (!r.is_null(1)) {
    freed_run out{.now = true, .attempt = r.integer(2), .status = std::string(r.text(3))};
    out.queued = out.status == "queued";
    if (out.queued || r.boolean(7)) out.work = queued_work{r.id(4), r.id(5), std::string(r.text(6))};
    return result<freed_run>(std::move(out));
  }
  if (r.boolean(8)) return result<freed_run>(freed_run{});
  if (r.boolean(9)) return std::nullopt;
  return result<freed_run>(errc::claim_lost);
}

task<result<freed_run>> runner_store::release(sha256_digest secret, uuid run, uuid claim, deadline until) {
  postgres::query const ask{release_run, postgres::parameters(byte_view(secret), run, claim, cancelled)};
  for (;;) {
    postgres::rows const found = settled(co_await db_.run(ask, until));
    // No verdict: the other transaction has committed by now, so the next snapshot sees its change.
    if (auto done = read_freed(found.front())) co_return std::move(*done);
  }
}

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
