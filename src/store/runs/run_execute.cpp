// A test that is run by itself, without a job.

#include "store/runs/quota_sql.hpp"
#include "store/runs/run_sql.hpp"
#include "store/sql/audit_sql.hpp"
#include "store/sql/group_commit.hpp"
#include "store/sql/settled.hpp"
#include "svc/domain/job.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/run_store.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::store {

namespace {

// The name of a trigger's lock (trigger_sql.cpp) with the test in the job's place: tried, never waited for. A
// statement of its own, so that the next one's snapshot is younger than the lock.
constexpr postgres::statement lock_key{"execute_lock_key", R"(
SELECT pg_try_advisory_xact_lock(hashtextextended('trigger ' || $1 || ' ' || $2, 0)))"};

// The run as it is, or what the key of a deleted one remembers: never both but when an instance of the version before
// has used the key again, and then the first row is the newer run's.
constexpr postgres::statement find_trigger_key{"execute_find_key",
                                               "SELECT k.request_hash, false AS gone," SVC_RUN_COLUMNS R"(
  FROM idempotency_keys k JOIN runs r ON r.id = k.run_id
 WHERE k.job_id = $1 AND k.key = $2 AND k.created_at > statement_timestamp() - interval '24 hours'
 UNION ALL
SELECT request_hash, true, run_id, NULL, NULL, job_id, job_type, status, 'remote', triggered_by, '{}', '[]',
       test_count, 0, queued_at, NULL, NULL, NULL, NULL, 1, queued_at, queued_at
  FROM orphaned_idempotency_keys
 WHERE job_id = $1 AND key = $2 AND created_at > statement_timestamp() - interval '24 hours'
 ORDER BY gone)"};

constexpr postgres::statement find_test{"execute_find_test", R"(
SELECT title, type FROM tests WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement insert_run{"execute_insert_run", R"(
INSERT INTO runs (id, project_id, test_id, job_type, trigger, triggered_by, token_id, tests, test_count,
                  timeout_seconds)
VALUES ($1, $2, $3, $4, 'remote', $5, $6, $7, 1, $8))"};

constexpr postgres::statement keep_key{"execute_keep_key", R"(
INSERT INTO idempotency_keys (job_id, key, request_hash, run_id) VALUES ($1, $2, $3, $4)
ON CONFLICT (job_id, key) DO UPDATE
   SET request_hash = excluded.request_hash, run_id = excluded.run_id, created_at = excluded.created_at)"};

constexpr postgres::statement reread_run{"execute_reread_run", SVC_RUN_BY_ID};

/// That of a job which does not say.
constexpr std::int64_t timeout_seconds = 3600;

std::vector<postgres::query> run_queries(editor const& by, test_execution const& wanted, uuid run,
                                         postgres::row test) {
  boost::json::array const tests{{{"id", wanted.test.to_string()}, {"title", test.text(0)}, {"status", "queued"}}};
  boost::json::object const details{{"run", run.to_string()}};
  std::vector<postgres::query> out{
      {insert_run, postgres::parameters(run, by.project, wanted.test, job_type_for(test.text(1)), wanted.triggered_by,
                                        by.actor.token, boost::json::serialize(tests), timeout_seconds)}};
  if (!wanted.idempotency_key.empty()) {
    out.push_back({keep_key, postgres::parameters(wanted.test, wanted.idempotency_key, wanted.request_hash, run)});
  }
  out.push_back(audit_query(by.entry("test.executed", "test", wanted.test, boost::json::serialize(details))));
  out.push_back({reread_run, postgres::parameters(by.project, run)});
  return out;
}

task<result<executed_run>> attempt(postgres::pool& db, queue_gate gate, editor by, test_execution wanted,
                                   deadline until) {
  postgres::unit_of_work work = co_await db.begin(until);
  if (!wanted.idempotency_key.empty()) {
    postgres::query lock{lock_key, postgres::parameters(wanted.test.to_string(), wanted.idempotency_key)};
    if (!settled(co_await work.run(std::move(lock))).front().boolean(0)) co_return errc::idempotency_in_progress;
  }
  std::vector<postgres::query> first{{find_test, postgres::parameters(by.project, wanted.test)},
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
  // It is held until COMMIT has come or failed.
  auto const place = co_await find_place(work, std::move(gate), by.project);
  if (!place) co_return errc::queue_full;
  auto last = run_queries(by, wanted, uuid::generate_v7(), found[0].front());
  std::vector<postgres::rows> const done = settled(co_await work.commit(std::move(last)));
  co_return executed_run{read_run_row(done.back().front()), false};
}

}  // namespace

task<result<executed_run>> run_store::execute(editor by, test_execution wanted, deadline until) {
  steady_timer pause(co_await asio::this_coro::executor);
  for (milliseconds wait = first_pause;; wait = std::min(2 * wait, longest_pause)) {
    result<executed_run> made = co_await attempt(db_, gate_, by, wanted, until);
    bool const busy = !made && made.error().code == errc::idempotency_in_progress;
    if (!busy || steady::now() + wait + attempt_patience >= until.at()) co_return made;
    pause.expires_after(wait);
    co_await pause.async_wait(awaiting);
  }
}

}  // namespace svc::store
