#include "store/runs/key_waits.hpp"
#include "store/runs/new_run_sql.hpp"
#include "store/runs/run_sql.hpp"
#include "store/sql/attempts.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/domain/job.hpp"
#include "svc/store/runs/run_store.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

// The lock has the name of a trigger's lock (trigger_sql.cpp), with the test instead of the job. The statement never
// waits for the lock. It is a separate statement, so that the snapshot of the next one is newer than the lock.
constexpr auto lock_key_sql = sql(R"(
SELECT pg_try_advisory_xact_lock(hashtextextended('trigger ' || $1 || ' ' || $2, )",
                                  lock_seed, "))");
constexpr postgres::statement lock_key{"execute_lock_key", lock_key_sql};

// Returns the existing run, or the part of a deleted run that its key keeps. Returns both only if an instance of the
// previous version used the key again; then the first row belongs to the newer run.
constexpr auto find_trigger_key_sql = sql("SELECT k.request_hash, false AS gone,", run_columns, R"(
  FROM idempotency_keys k CROSS JOIN LATERAL (SELECT * FROM run_history r WHERE r.id = k.run_id LIMIT 1) h
)",
                                          run_state("k.run_id"), R"(
 WHERE k.job_id = $1 AND k.key = $2 AND k.created_at > statement_timestamp() - interval '24 hours'
 UNION ALL
SELECT request_hash, true, run_id, NULL, NULL, job_id, job_type, status, 'remote', triggered_by, '{}', '[]',
       test_count, 0, queued_at, NULL, NULL, NULL, NULL, 1, queued_at, queued_at
  FROM orphaned_idempotency_keys
 WHERE job_id = $1 AND key = $2 AND created_at > statement_timestamp() - interval '24 hours'
 ORDER BY gone)");
constexpr postgres::statement find_trigger_key{"execute_find_key", find_trigger_key_sql};

constexpr postgres::statement get_executed{"execute_get", run_by_id};

constexpr postgres::statement find_test{"execute_find_test", R"(
SELECT title, type FROM tests WHERE project_id = $1 AND id = $2)"};

// The database generates the id from the time of the run's creation.
constexpr postgres::statement insert_run{"execute_insert_run", R"(
WITH made AS (
  INSERT INTO run_history (id, project_id, test_id, job_type, trigger, triggered_by, token_id, tests, test_count,
                           trace_parent, created_at)
  SELECT id_at(now.at, gen_random_uuid()), $1, $2, $3, $9, $4, $5, $6, 1, nullif($8, ''), now.at
    FROM (SELECT clock_timestamp() AS at) now
  RETURNING id, project_id, job_type, trigger, created_at
)
INSERT INTO run_queue (run_id, project_id, job_type, trigger, timeout_seconds, queued_at, updated_at)
SELECT id, project_id, job_type, trigger, $7, created_at, created_at FROM made RETURNING run_id)"};

constexpr postgres::statement keep_key{"execute_keep_key", R"(
INSERT INTO idempotency_keys (job_id, key, request_hash, run_id) VALUES ($1, $2, $3, $4)
ON CONFLICT (job_id, key) DO UPDATE
   SET request_hash = excluded.request_hash, run_id = excluded.run_id, created_at = excluded.created_at)"};

/// Equal to the timeout of a job that sets none.
constexpr std::int64_t timeout_seconds = 3600;

postgres::query insert_query(editor const& editor, test_execution const& wanted, postgres::row test) {
  boost::json::array const tests{{{"id", wanted.test.to_string()}, {"title", test.text(0)}, {"status", "queued"}}};
  return {insert_run, postgres::parameters(editor.project, wanted.test, job_type_for(test.text(1)),
                                           wanted.triggered_by, editor.actor.token, boost::json::serialize(tests),
                                           timeout_seconds, wanted.trace_parent, editor.actor.run_trigger())};
}

/// Returns the writes that belong to the new run, and the query that reads the run.
std::vector<postgres::query> queries_of(editor const& editor, test_execution const& wanted, uuid run) {
  std::vector<postgres::query> out;
  if (!wanted.idempotency_key.empty()) {
    out.push_back({keep_key, postgres::parameters(wanted.test, wanted.idempotency_key, wanted.request_hash, run)});
  }
  boost::json::object const details{{"run", run.to_string()}};
  out.push_back(audit_query(editor.entry("test.executed", "test", wanted.test, boost::json::serialize(details))));
  out.push_back({get_executed, postgres::parameters(editor.project, run)});
  return out;
}

task<result<executed_run>> try_to_execute(postgres::pool& db, queue_gate gate, editor editor, test_execution wanted,
                                          deadline until) {
  postgres::unit_of_work work = co_await db.begin(until);
  if (!wanted.idempotency_key.empty()) {
    postgres::query lock{lock_key, postgres::parameters(wanted.test.to_string(), wanted.idempotency_key)};
    if (!settled(co_await work.run(std::move(lock))).front().boolean(0)) co_return errc::idempotency_in_progress;
  }
  std::vector<postgres::query> first{{find_test, postgres::parameters(editor.project, wanted.test)},
                                     {find_trigger_key, postgres::parameters(wanted.test, wanted.idempotency_key)}};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::not_found;
  if (!found[1].empty()) {
    postgres::row const kept = found[1].front();
    if (kept.text(0) != wanted.request_hash) co_return errc::idempotency_mismatch;
    run made = read_run_row(kept, 2);
    made.deleted = kept.boolean(1);
    co_return executed_run{std::move(made), true};
  }
  // The place must live until COMMIT has succeeded or failed.
  auto const reservation = co_await reserve_queue_slot(work, std::move(gate), editor.project);
  if (!reservation) co_return errc::queue_full;
  postgres::rows const made = settled(co_await work.run(insert_query(editor, wanted, found[0].front())));
  auto last = queries_of(editor, wanted, made.front().id(0));
  std::vector<postgres::rows> const done = settled(co_await work.commit(std::move(last)));
  co_return executed_run{read_run_row(done.back().front()), false};
}

}  // namespace

run_store::run_store(postgres::pool& db, queue_gate gate)
    : db_(db), gate_(std::move(gate)), same_keys_(std::make_shared<key_waits>()) {}

task<result<executed_run>> run_store::execute(editor editor, test_execution wanted, deadline until) {
  auto const counts = same_keys_;
  key_wait const mine(*counts, {editor.project, wanted.test}, key_waits::kind::idempotency, wanted.idempotency_key);
  if (mine.crowded()) co_return errc::idempotency_in_progress;
  attempts again(co_await asio::this_coro::executor, until, key_patience);
  for (;;) {
    result<executed_run> made = co_await try_to_execute(db_, gate_, editor, wanted, until);
    bool const busy = !made && made.error().code == errc::idempotency_in_progress;
    if (!busy || !co_await again.next()) co_return made;
  }
}

}  // namespace svc::store
