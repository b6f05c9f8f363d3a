#include "svc/store/runs/run_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {
namespace {

// All the runs of a range may have to be read, which the service's usual time may not be enough for.
constexpr postgres::statement allow_time{"retention_allow_time", R"(
SELECT set_config('statement_timeout', '60000', true))"};
constexpr postgres::statement drop_range{"retention_drop_range", R"(
SELECT drop_run_partitions(statement_timestamp() - $1::bigint * interval '1 millisecond'))"};

// Leaves locked runs for the next pass. Columns: the number of deleted runs, and their projects.
consteval auto delete_runs_sql(auto const& runs) {
  return sql("WITH old AS MATERIALIZED (", runs,
             ") SELECT delete_runs(ARRAY(SELECT id FROM old)), ARRAY(SELECT DISTINCT project_id FROM old)");
}
// A run is at least as old as its end, so runs are looked through from the oldest to those of that age.
constexpr auto delete_old_sql = delete_runs_sql(
    "SELECT e.run_id AS id, e.project_id FROM run_results e WHERE e.completed_at < (SELECT statement_timestamp()"
    " - $1::bigint * interval '1 millisecond') AND e.run_id < (SELECT first_id_at("
    "statement_timestamp() - $1::bigint * interval '1 millisecond'))"
    " ORDER BY e.run_id LIMIT (SELECT $2::bigint) FOR UPDATE SKIP LOCKED");
constexpr postgres::statement delete_old{"retention_delete_old", delete_old_sql};
constexpr auto delete_surplus_sql = delete_runs_sql(
    "SELECT h.id, h.project_id FROM run_history h CROSS JOIN LATERAL (SELECT FROM run_results e"
    " WHERE e.run_id = h.id LIMIT 1 FOR UPDATE SKIP LOCKED) ended"
    " WHERE h.job_id = (SELECT $1::uuid) AND h.id <= (SELECT $2::uuid)"
    " ORDER BY h.id LIMIT (SELECT $3::bigint)");
constexpr postgres::statement delete_surplus{"retention_delete_surplus", delete_surplus_sql};
constexpr auto delete_single_surplus_sql = delete_runs_sql(
    "SELECT h.id, h.project_id FROM run_history h CROSS JOIN LATERAL (SELECT FROM run_results e"
    " WHERE e.run_id = h.id LIMIT 1 FOR UPDATE SKIP LOCKED) ended"
    " WHERE h.project_id = (SELECT $1::uuid) AND h.job_id IS NULL AND h.id <= (SELECT $2::uuid)"
    " ORDER BY h.id LIMIT (SELECT $3::bigint)");
constexpr postgres::statement delete_single_surplus{"retention_delete_single", delete_single_surplus_sql};
constexpr auto delete_of_deleted_jobs_sql = delete_runs_sql(
    "SELECT run.id, run.project_id FROM (SELECT j.id FROM jobs j WHERE j.project_id = $1 AND j.deleted_at IS NOT NULL"
    " ORDER BY j.deleted_at DESC, j.id DESC OFFSET (SELECT $2::bigint)) job"
    " CROSS JOIN LATERAL (SELECT h.id, h.project_id FROM run_history h CROSS JOIN LATERAL (SELECT FROM run_results e"
    " WHERE e.run_id = h.id LIMIT 1 FOR UPDATE SKIP LOCKED) ended"
    " WHERE h.job_id = job.id ORDER BY h.id LIMIT (SELECT $3::bigint)) run LIMIT (SELECT $3::bigint)");
constexpr postgres::statement delete_of_deleted_jobs{"retention_delete_of_deleted", delete_of_deleted_jobs_sql};
constexpr postgres::statement list_projects{
    "retention_projects", "SELECT id FROM projects WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2"};
constexpr postgres::statement delete_audits_of{"retention_delete_audits", R"(
SELECT delete_trigger_audits($1, statement_timestamp() - $2::bigint * interval '1 millisecond', $3))"};
constexpr postgres::statement delete_revoked_of{"retention_delete_tokens",
                                                "SELECT delete_revoked_tokens($1, $2, $3)"};
constexpr postgres::statement delete_buried_of{"retention_delete_jobs", "SELECT delete_deleted_jobs($1, $2, $3)"};
// A claim that begins now locks the row and says that the runner was seen, or finds no runner, which registers again.
constexpr postgres::statement delete_unseen{"retention_delete_runners", R"(
WITH gone AS (
  DELETE FROM runners r WHERE r.id = ANY (ARRAY(
    SELECT o.id FROM runners o
     WHERE o.last_seen_at < statement_timestamp() - interval '1 day'
       AND NOT EXISTS (SELECT FROM run_queue q WHERE q.runner_id = o.id)
     LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING r.token_id
), place AS (
  SELECT DISTINCT t.organization_id, t.project_id FROM runner_tokens t
   WHERE t.id = ANY (ARRAY(SELECT token_id FROM gone))
)
SELECT (SELECT count(*) FROM gone),
       ARRAY(SELECT w.project_id FROM place w WHERE w.project_id IS NOT NULL
             UNION ALL
             (SELECT p.id FROM place w JOIN projects p ON p.organization_id = w.organization_id
               WHERE w.project_id IS NULL LIMIT 1000)))"};

constexpr postgres::statement find_excess{"retention_find_excess", R"(
SELECT j.id, beyond.id
  FROM (SELECT id FROM jobs WHERE id > (SELECT coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'))
         ORDER BY id LIMIT (SELECT $2::bigint)) j
  LEFT JOIN LATERAL (SELECT h.id FROM run_history h WHERE h.job_id = j.id
                      ORDER BY h.id DESC OFFSET (SELECT $3::bigint) LIMIT 1) beyond ON true
 ORDER BY j.id)"};
constexpr postgres::statement find_single_excess{"retention_find_single", R"(
SELECT p.id, beyond.id
  FROM (SELECT id FROM projects WHERE id > (SELECT coalesce($1::uuid, '00000000-0000-0000-0000-000000000000'))
         ORDER BY id LIMIT (SELECT $2::bigint)) p
  LEFT JOIN LATERAL (SELECT h.id FROM run_history h WHERE h.project_id = p.id AND h.job_id IS NULL
                      ORDER BY h.id DESC OFFSET (SELECT $3::bigint) LIMIT 1) beyond ON true
 ORDER BY p.id)"};

}  // namespace

task<std::optional<std::int64_t>> retention_store::drop_oldest(milliseconds age, deadline until) {
  std::vector<postgres::query> both{{allow_time},
                                    {drop_range, postgres::parameters(static_cast<std::int64_t>(age.count()))}};
  std::vector<postgres::rows> const done = settled(co_await db_.run(std::move(both), until));
  co_return done.back().front().maybe_integer(0);
}

/// Runs a statement that returns the number of deleted rows and their projects.
task<std::int64_t> retention_store::remove(std::string_view resource, postgres::query ask, deadline until) {
  postgres::rows const done = settled(co_await db_.run(std::move(ask), until));
  report_changes(deleted_, resource, done.front().ids(1));
  co_return done.front().integer(0);
}

task<std::int64_t> retention_store::delete_older(milliseconds age, std::int64_t most, deadline until) {
  postgres::query ask{delete_old, postgres::parameters(static_cast<std::int64_t>(age.count()), most)};
  co_return co_await remove("run", std::move(ask), until);
}

task<retention_store::surplus> retention_store::find_surplus(run_owner kind, std::optional<uuid> after,
                                                             std::int64_t kept, std::int64_t owners, deadline until) {
  auto const& statement = kind == run_owner::job ? find_excess : find_single_excess;
  postgres::query ask{statement, postgres::parameters(after, owners, kept)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  surplus out;
  for (int i = 0; i < found.size(); ++i) {
    if (!found[i].is_null(1)) out.owners.push_back({kind, found[i].id(0), found[i].id(1)});
  }
  if (found.size() == owners) out.after = found[found.size() - 1].id(0);
  co_return out;
}

task<std::int64_t> retention_store::delete_excess(excess runs, std::int64_t most, deadline until) {
  auto const& statement = runs.kind == run_owner::job ? delete_surplus : delete_single_surplus;
  postgres::query ask{statement, postgres::parameters(runs.owner, runs.run, most)};
  co_return co_await remove("run", std::move(ask), until);
}

task<std::int64_t> retention_store::delete_runs_of_deleted_jobs(uuid project, std::int64_t jobs, std::int64_t most,
                                                                deadline until) {
  postgres::query ask{delete_of_deleted_jobs, postgres::parameters(project, jobs, most)};
  co_return co_await remove("run", std::move(ask), until);
}

task<std::vector<uuid>> retention_store::next_projects(std::optional<uuid> after, std::int64_t most, deadline until) {
  postgres::query ask{list_projects, postgres::parameters(after, most)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<uuid> out;
  for (int i = 0; i < found.size(); ++i) out.push_back(found[i].id(0));
  co_return out;
}

task<std::int64_t> retention_store::delete_audits(uuid project, milliseconds age, std::int64_t most, deadline until) {
  postgres::query ask{delete_audits_of, postgres::parameters(project, age.count(), most)};
  co_return settled(co_await db_.run(std::move(ask), until)).front().integer(0);
}

task<std::int64_t> retention_store::delete_revoked_tokens(uuid project, std::int64_t kept, std::int64_t most,
                                                          deadline until) {
  postgres::query ask{delete_revoked_of, postgres::parameters(project, kept, most)};
  co_return settled(co_await db_.run(std::move(ask), until)).front().integer(0);
}

task<std::int64_t> retention_store::delete_deleted_jobs(uuid project, std::int64_t kept, std::int64_t most,
                                                        deadline until) {
  postgres::query ask{delete_buried_of, postgres::parameters(project, kept, most)};
  co_return settled(co_await db_.run(std::move(ask), until)).front().integer(0);
}

task<std::int64_t> retention_store::delete_runners(std::int64_t most, deadline until) {
  postgres::query ask{delete_unseen, postgres::parameters(most)};
  co_return co_await remove("runner", std::move(ask), until);
}

}  // namespace svc::store
