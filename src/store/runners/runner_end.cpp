#include "svc/store/runners/runner_store.hpp"

#include "store/runners/runner_sql.hpp"
#include "store/sql/run_alerts_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/bytes.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {

namespace {

// Writes the end of a run that has moved from the queue to `gone`, within the same statement.
constexpr auto result_columns =
    sql("run_results (run_id, project_id, job_id, trigger, status, attempt, claim_id, runner_id, started_at,"
        " completed_at, error_details, reported, version)");
constexpr auto output_due =
    sql("due AS (INSERT INTO run_output (run_id) SELECT run_id FROM gone ON CONFLICT DO NOTHING)");
// Moves a run back to its old place.
constexpr auto queued_again =
    sql("status = 'queued', claim_id = NULL, runner_id = NULL, lease_until = NULL, started_at = NULL, version ="
        " q.version + 1, updated_at = clock_timestamp()");
constexpr auto leaving_columns =
    sql("q.run_id, q.project_id, q.job_id, q.job_type, q.trigger, q.limited, q.attempt, q.started_at, q.version");

// Waits for the lock, so that the statement sees an earlier cancellation. A cancelled run causes no alert.
constexpr auto release_run_sql =
    sql("WITH ", runner_auth, R"(, held AS MATERIALIZED (
  SELECT q.run_id, p.organization_id, q.cancel_requested_at IS NOT NULL AS to_cancel
    FROM auth, projects p, run_queue q WHERE)",
        is_fenced, R"( FOR UPDATE OF q
), back AS (
  UPDATE run_queue q SET )",
        queued_again, R"(
    FROM held WHERE q.run_id = $2 AND q.run_id = held.run_id AND NOT held.to_cancel
  RETURNING q.run_id, q.attempt, q.project_id, q.job_type, q.limited, q.job_id
), gone AS (
  DELETE FROM run_queue q USING held WHERE q.run_id = $2 AND q.run_id = held.run_id AND held.to_cancel
  RETURNING )",
        leaving_columns, R"(
), ended AS (
  INSERT INTO )",
        result_columns, R"(
  SELECT run_id, project_id, job_id, trigger, 'cancelled', attempt, $3, NULL, started_at, clock_timestamp(), NULL, '[]',
         version + 1 FROM gone
), )",
        output_due, R"(, freed AS (
  SELECT run_id, attempt, 'queued' AS status, project_id, job_type, limited, job_id FROM back
  UNION ALL SELECT run_id, attempt, 'cancelled', project_id, job_type, limited, job_id FROM gone
)
SELECT)",
        runner_token_state, R"(, freed.run_id, freed.attempt, freed.status, held.organization_id, freed.project_id,
       freed.job_type, freed.limited, freed.job_id
  FROM (VALUES (1)) one LEFT JOIN (freed JOIN held USING (run_id)) ON true)");
constexpr postgres::statement release_run{"runner_release", release_run_sql};

// Reads all running runs, because their number is limited by the slots of the runners. With an index by lease each
// heartbeat would write to all indexes. No test results are reported, so readers show the tests as not reached.
constexpr auto reap_runs_sql = sql(R"(
WITH lost AS MATERIALIZED (
  SELECT q.run_id, q.lease_until < statement_timestamp() AS expired, p.organization_id,
         CASE WHEN q.cancel_requested_at IS NOT NULL THEN 'cancelled'
              WHEN allowed.passed THEN 'timed_out'
              WHEN q.lost_claims < $2::bigint THEN 'queued'
              ELSE 'error' END AS fate
    FROM run_queue q JOIN projects p ON p.id = q.project_id CROSS JOIN LATERAL (
      SELECT coalesce(q.started_at + q.timeout_seconds * interval '1 second' + interval '60 seconds'
                      < statement_timestamp(), false) AS passed) allowed
   WHERE q.status = 'running' AND (q.lease_until < statement_timestamp() OR allowed.passed)
   LIMIT $1 FOR UPDATE OF q SKIP LOCKED
), back AS (
  UPDATE run_queue q SET lost_claims = q.lost_claims + CASE WHEN lost.expired THEN 1 ELSE 0 END, )",
                                   queued_again, R"(
    FROM lost WHERE q.run_id = ANY (ARRAY(SELECT run_id FROM lost)) AND q.run_id = lost.run_id AND lost.fate = 'queued'
  RETURNING q.run_id, q.attempt, q.project_id, q.job_type, q.limited, q.job_id
), gone AS (
  DELETE FROM run_queue q USING lost
   WHERE q.run_id = ANY (ARRAY(SELECT run_id FROM lost)) AND q.run_id = lost.run_id AND lost.fate <> 'queued'
  RETURNING )",
                                   leaving_columns, R"(, lost.fate, q.runner_id, CASE lost.fate
    WHEN 'error' THEN 'The runner was lost ' || CASE q.lost_claims + 1 WHEN 1 THEN 'once'
      ELSE q.lost_claims + 1 || ' times' END || ': its lease ended without a result.'
    WHEN 'timed_out' THEN 'The run took longer than its ' || q.timeout_seconds || ' seconds.' END AS details
), ended AS (
  INSERT INTO )",
                                   result_columns, R"(
  SELECT run_id, project_id, job_id, trigger, fate, attempt, NULL, runner_id, started_at, clock_timestamp(), details,
         '[]', version + 1 FROM gone
  RETURNING run_id, job_id, status
), )",
                                   run_alerts_due("ended"), ", ", output_due, R"(, freed AS (
  SELECT run_id, attempt, project_id, job_type, limited, job_id FROM back
  UNION ALL SELECT run_id, attempt, project_id, job_type, limited, job_id FROM gone
)
SELECT freed.run_id, freed.attempt, lost.fate, lost.organization_id, freed.project_id, freed.job_type, freed.limited,
       freed.job_id
  FROM freed JOIN lost USING (run_id))");
constexpr postgres::statement reap_runs{"reaper_reap", reap_runs_sql};

// A separate statement, because it is rarely needed. Its snapshot is younger than the snapshots of the statements
// that free runs.
constexpr auto unfreed_runs_sql = sql(R"(
SELECT EXISTS (SELECT FROM run_queue q JOIN projects p ON p.id = q.project_id
                 JOIN runner_tokens auth ON auth.digest = decode(a.secret, 'hex') AND)",
                                      is_in_scope, R"(
                WHERE q.run_id = a.run_id AND q.claim_id = a.claim_id AND q.lease_until IS NOT NULL),
       coalesce((SELECT e.status = a.status FROM run_results e WHERE e.run_id = a.run_id AND e.claim_id = a.claim_id),
                false)
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[]), (SELECT $3::text[]), (SELECT $4::text[]))
       WITH ORDINALITY a (run_id, claim_id, status, secret, place)
 ORDER BY a.place)");
constexpr postgres::statement unfreed_runs{"runner_unfreed", unfreed_runs_sql};

}  // namespace

std::optional<result<freed_run>> read_freed(postgres::row r) {
  if (auto const refused = runner_refusal(r)) return result<freed_run>(*refused);
  if (r.is_null(1)) return std::nullopt;
  freed_run out{.now = true,
                .attempt = r.integer(2),
                .status = std::string(r.text(3)),
                .project = r.id(5),
                .job = r.maybe_id(8)};
  out.queued = out.status == "queued";
  if (out.queued || r.boolean(7)) out.work = queued_work{r.id(4), r.id(5), std::string(r.text(6))};
  return result<freed_run>(std::move(out));
}

task<std::vector<std::optional<result<freed_run>>>> unfreed(postgres::pool& db, std::vector<freeing> freeings,
                                                            deadline until) {
  using freeing_row = freeing const&;
  postgres::query ask{
      unfreed_runs,
      postgres::parameters(
          postgres::column<uuid>(freeings, [](freeing_row r) { return r.run; }),
          postgres::column<uuid>(freeings, [](freeing_row r) { return r.claim; }),
          postgres::column<std::string>(freeings, [](freeing_row r) { return r.status; }),
          postgres::column<std::string>(freeings, [](freeing_row r) { return to_hex(byte_view(r.secret)); }))};
  postgres::rows const found = settled(co_await db.run(std::move(ask), until));
  std::vector<std::optional<result<freed_run>>> out;
  for (int i = 0; i < found.size(); ++i) {
    if (found[i].boolean(0))
      out.emplace_back();
    else if (found[i].boolean(1))
      out.emplace_back(freed_run{});
    else
      out.emplace_back(errc::claim_lost);
  }
  co_return out;
}

task<result<freed_run>> runner_store::release(sha256_digest secret, uuid run, uuid claim, deadline until) {
  postgres::query const ask{release_run, postgres::parameters(byte_view(secret), run, claim)};
  for (;;) {
    postgres::rows const found = settled(co_await db_.run(ask, until));
    if (auto done = read_freed(found.front())) co_return std::move(*done);
    std::vector<freeing> freeings;
    freeings.push_back({secret, run, claim, "cancelled"});
    auto verdicts = co_await unfreed(db_, std::move(freeings), until);
    if (verdicts.front()) co_return std::move(*verdicts.front());
  }
}

task<std::vector<reaped_run>> reaper_store::reap(std::int64_t most, std::int64_t retries, deadline until) {
  postgres::query ask{reap_runs, postgres::parameters(most, retries)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<reaped_run> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    out.push_back({.run = r.id(0),
                   .attempt = r.integer(1),
                   .status = std::string(r.text(2)),
                   .organization = r.id(3),
                   .project = r.id(4),
                   .job_type = std::string(r.text(5)),
                   .limited = r.boolean(6),
                   .job = r.maybe_id(7)});
  }
  co_return out;
}

}  // namespace svc::store
