#include "svc/store/run_store.hpp"

#include "store/runs/new_run_sql.hpp"
#include "store/sql/attempts.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/domain/job.hpp"
#include "svc/domain/run.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/rows.hpp"

#include <boost/json.hpp>

#include <algorithm>

/// The columns that `read_run_row` reads, in its order.
#define SVC_RUN_COLUMNS                                                                                    \
  " r.id, r.job_id, r.job_name, r.test_id, r.job_type, r.status, r.trigger, r.triggered_by, r.parameters," \
  " r.tests, r.test_count, r.attempt, r.queued_at, r.started_at, r.completed_at, r.error_details,"         \
  " r.report_url, r.version, r.created_at, r.updated_at "
#define SVC_RUN_BY_ID "SELECT" SVC_RUN_COLUMNS "FROM runs r WHERE r.project_id = $1 AND r.id = $2"

namespace svc::store {

namespace {

constexpr postgres::statement get_run{"run_get", SVC_RUN_BY_ID};

constexpr postgres::statement get_progress{"run_progress", R"(
SELECT id, job_id, status, started_at, completed_at, error_details, version FROM runs
 WHERE project_id = $1 AND id = $2)"};

// $2 job, $3 status, $4 trigger, $5 and $6 the time, $7 limit + 1, $8 offset, $9 and $10 the key to start after. Each
// list uses the index that matches its first filter.
#define SVC_TIMES                                               \
  " AND r.created_at >= coalesce($5::timestamptz, '-infinity')" \
  " AND r.created_at < coalesce($6::timestamptz, 'infinity')"
#define SVC_GUESS                                                                  \
  "estimated_rows('SELECT FROM runs r WHERE r.project_id = ' || quote_literal($1)" \
  " || coalesce(' AND r.job_id = ' || quote_literal($2::uuid), '')"                \
  " || coalesce(' AND r.status = ' || quote_literal($3::text), '')"                \
  " || coalesce(' AND r.trigger = ' || quote_literal($4::text), '')"               \
  " || coalesce(' AND r.created_at >= ' || quote_literal($5::timestamptz), '')"    \
  " || coalesce(' AND r.created_at < ' || quote_literal($6::timestamptz), ''))"
// All filters are evaluated in the index, and rows are fetched only for the page, so that a filter for a rare value
// does not read every run.
#define SVC_LIST(filter) \
  SVC_PAGED("runs r WHERE " filter SVC_TIMES, SVC_GUESS, "",                                               \
            SVC_RUN_COLUMNS "FROM (SELECT r.id AS key FROM runs r WHERE " filter SVC_TIMES SVC_BEFORE(     \
                "r.created_at, r.id", "$9", "$10") " ORDER BY r.created_at DESC, r.id DESC"                \
            " LIMIT $7 OFFSET $8) k JOIN runs r ON r.id = k.key ORDER BY r.created_at DESC, r.id DESC")
#define SVC_PROJECT "r.project_id = $1::uuid AND $2::uuid IS NULL"
#define SVC_TRIGGER " AND ($4::text IS NULL OR r.trigger = $4)"
constexpr postgres::statement list_all{"run_list",
                                       SVC_LIST(SVC_PROJECT " AND $3::text IS NULL AND $4::text IS NULL")};
constexpr postgres::statement list_by_trigger{"run_list_by_trigger",
                                              SVC_LIST(SVC_PROJECT " AND $3::text IS NULL AND r.trigger = $4")};
constexpr postgres::statement list_by_status{"run_list_by_status",
                                             SVC_LIST(SVC_PROJECT " AND r.status = $3 AND $4::text IS NULL")};
constexpr postgres::statement list_by_both{"run_list_by_both",
                                           SVC_LIST(SVC_PROJECT " AND r.status = $3 AND r.trigger = $4")};
// The estimate for a job's runs is good only if the job's id is a plain value, so the project is checked separately.
constexpr postgres::statement list_by_job{
    "run_list_of_job",
    SVC_LIST("r.job_id = $2 AND EXISTS (SELECT FROM jobs j WHERE j.id = $2 AND j.project_id = $1::uuid)"
             " AND ($3::text IS NULL OR r.status = $3)" SVC_TRIGGER)};
#undef SVC_PROJECT
#undef SVC_TRIGGER
#undef SVC_LIST
#undef SVC_GUESS
#undef SVC_TIMES

// A queued run may have output from an earlier attempt, which must be moved like that of any run that ends.
constexpr postgres::statement cancel_run{"run_cancel", R"(
WITH ended AS (
  UPDATE runs r SET status = 'cancelled', completed_at = clock_timestamp(), version = version + 1,
         updated_at = clock_timestamp(),
         tests = (SELECT coalesce(jsonb_agg(t.of || jsonb_build_object('status', 'cancelled') ORDER BY t.place), '[]')
                    FROM jsonb_array_elements(r.tests) WITH ORDINALITY t (of, place))
   WHERE project_id = $1 AND id = $2 AND status = 'queued'
  RETURNING id, attempt
)
INSERT INTO run_output (run_id) SELECT id FROM ended WHERE attempt > 0 ON CONFLICT DO NOTHING)"};

// The runner learns of this from the response to its next heartbeat or to a request that is already waiting.
constexpr postgres::statement ask_to_cancel{"run_ask_to_cancel", R"(
UPDATE runs SET cancel_requested_at = clock_timestamp(), version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2 AND cancel_requested_at IS NULL)"};

// Checks the age again for each deleted row, because a trigger may be giving the key a new run right now.
#define SVC_SWEEP(table)                                             \
  "WITH old AS (SELECT job_id, key FROM " table                      \
  " WHERE created_at <= statement_timestamp() - interval '24 hours'" \
  " ORDER BY created_at LIMIT 1000 FOR UPDATE SKIP LOCKED)"          \
  " DELETE FROM " table                                              \
  " k USING old WHERE k.job_id = old.job_id AND k.key = old.key"     \
  " AND k.created_at <= statement_timestamp() - interval '24 hours'"
constexpr postgres::statement delete_keys{"run_sweep_keys", SVC_SWEEP("idempotency_keys")};
constexpr postgres::statement delete_orphans{"run_sweep_orphaned_keys", SVC_SWEEP("orphaned_idempotency_keys")};
#undef SVC_SWEEP
constexpr std::int64_t swept_at_once = 1000;

constexpr postgres::statement ended_runs{"run_ended", R"(
SELECT id FROM runs WHERE id = ANY ($1) AND completed_at IS NOT NULL)"};

constexpr postgres::statement lock_run{"run_lock", R"(
SELECT status, version, completed_at IS NOT NULL FROM runs WHERE project_id = $1 AND id = $2 FOR UPDATE)"};

constexpr postgres::statement delete_run{"run_delete", "DELETE FROM runs WHERE project_id = $1 AND id = $2"};

run read_run_row(postgres::row r, int first = 0) {
  run made;
  auto const at = [first](int column) { return first + column; };
  made.id = r.id(at(0));
  made.job = r.maybe_id(at(1));
  made.job_name = r.maybe_text(at(2));
  made.test = r.maybe_id(at(3));
  made.job_type = r.text(at(4));
  made.status = r.text(at(5));
  made.trigger = r.text(at(6));
  made.triggered_by = r.text(at(7));
  made.parameters = r.text(at(8));
  made.tests = r.text(at(9));
  made.test_count = r.integer(at(10));
  made.attempt = r.integer(at(11));
  made.queued_at = r.time(at(12));
  made.started_at = r.maybe_time(at(13));
  made.completed_at = r.maybe_time(at(14));
  made.error_details = r.maybe_text(at(15));
  made.report_url = r.maybe_text(at(16));
  made.version = r.integer(at(17));
  made.created_at = r.time(at(18));
  made.updated_at = r.time(at(19));
  return made;
}

postgres::statement list_for(run_filter const& filter) {
  if (filter.job) return list_by_job;
  if (filter.status) return filter.trigger ? list_by_both : list_by_status;
  return filter.trigger ? list_by_trigger : list_all;
}

// Has the name of a trigger's lock (trigger_sql.cpp), with the test instead of the job. Never waits for the lock. A
// separate statement, so that the snapshot of the next one is newer than the lock.
constexpr postgres::statement lock_key{"execute_lock_key", R"(
SELECT pg_try_advisory_xact_lock(hashtextextended('trigger ' || $1 || ' ' || $2, 0)))"};

// The existing run, or what the key of a deleted run keeps of it. Returns both only if an instance of the previous
// version used the key again; then the first row belongs to the newer run.
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

/// The same as for a job that sets no timeout.
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
  out.push_back({get_run, postgres::parameters(by.project, run)});
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
  // Must live until COMMIT has succeeded or failed.
  auto const place = co_await find_place(work, std::move(gate), by.project);
  if (!place) co_return errc::queue_full;
  auto last = run_queries(by, wanted, uuid::generate_v7(), found[0].front());
  std::vector<postgres::rows> const done = settled(co_await work.commit(std::move(last)));
  co_return executed_run{read_run_row(done.back().front()), false};
}

}  // namespace

task<page<run>> run_store::list(uuid project, run_filter filter, page_request wanted, deadline until) {
  postgres::query ask{
      list_for(filter),
      postgres::parameters(project, filter.job, filter.status, filter.trigger, filter.from, filter.to,
                           wanted.limit + 1, wanted.offset(), wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<run>(found, wanted, 2, read_run_row, created_key<run>);
}

task<result<run>> run_store::get(uuid project, uuid id, deadline until) {
  return read_one<run>(db_.run({get_run, postgres::parameters(project, id)}, until), read_run_row);
}

task<result<run_progress>> run_store::progress(uuid project, uuid id, deadline until) {
  auto const read = [](postgres::row r, int /*first*/) {
    return run_progress{.id = r.id(0),
                        .job = r.maybe_id(1),
                        .status = std::string(r.text(2)),
                        .started_at = r.maybe_time(3),
                        .completed_at = r.maybe_time(4),
                        .error_details = r.maybe_text(5),
                        .version = r.integer(6)};
  };
  return read_one<run_progress>(db_.read({get_progress, postgres::parameters(project, id)}, until), read);
}

task<std::vector<uuid>> run_store::ended(std::vector<uuid> ids, deadline until) {
  postgres::query ask{ended_runs, postgres::parameters(ids)};
  co_return read_ids(settled(co_await db_.run(std::move(ask), until)));
}

task<bool> run_store::sweep_keys(deadline until) {
  std::vector<postgres::query> both{{delete_keys}, {delete_orphans}};
  std::vector<postgres::rows> const done = settled(co_await db_.run(std::move(both), until));
  co_return done[0].affected() == swept_at_once || done[1].affected() == swept_at_once;
}

task<result<run>> run_store::cancel(editor by, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  postgres::query lock{lock_run, postgres::parameters(by.project, id)};
  postgres::rows const begun = settled(co_await work.run(std::move(lock)));
  if (begun.empty()) co_return errc::not_found;
  std::string_view const status = begun.front().text(0);
  bool const running = status == "running";
  if (!running && status != "queued") co_return errc::run_already_over;
  std::vector<postgres::query> last{
      {running ? ask_to_cancel : cancel_run, postgres::parameters(by.project, id)},
      audit_query(by.entry(running ? "run.cancel_requested" : "run.cancelled", "run", id)),
      {get_run, postgres::parameters(by.project, id)}};
  std::vector<postgres::rows> const done = settled(co_await work.commit(std::move(last)));
  co_return read_run_row(done.back().front());
}

task<result<>> run_store::remove(editor by, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  postgres::query lock{lock_run, postgres::parameters(by.project, id)};
  postgres::rows const begun = settled(co_await work.run(std::move(lock)));
  if (begun.empty()) co_return errc::not_found;
  postgres::row const current = begun.front();
  if (!by.expects(current.integer(1))) co_return errc::precondition_failed;
  if (!current.boolean(2)) co_return errc::run_not_over;
  std::string const details = R"({"status":")" + std::string(current.text(0)) + R"("})";
  std::vector<postgres::query> last{{delete_run, postgres::parameters(by.project, id)},
                                    audit_query(by.entry("run.deleted", "run", id, details))};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

task<result<executed_run>> run_store::execute(editor by, test_execution wanted, deadline until) {
  attempts again(co_await asio::this_coro::executor, until, key_patience);
  for (;;) {
    result<executed_run> made = co_await attempt(db_, gate_, by, wanted, until);
    bool const busy = !made && made.error().code == errc::idempotency_in_progress;
    if (!busy || !co_await again.next()) co_return made;
  }
}

}  // namespace svc::store
