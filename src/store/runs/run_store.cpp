#include "svc/store/runs/run_store.hpp"

#include "store/runs/run_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/rows.hpp"

namespace svc::store {

namespace {

constexpr postgres::statement get_run{"run_get", run_by_id};

// A client that waits for a run's end repeats this query. So the first query reads only the queue, and the results
// are read only for a run that has left the queue. A statement over both would open all partitions.
constexpr postgres::statement get_live_progress{"run_progress", R"(
SELECT run_id, job_id, status, started_at, NULL::timestamptz, NULL::text, version FROM run_queue
 WHERE project_id = $1 AND run_id = $2)"};
constexpr postgres::statement get_last_progress{"run_last_progress", R"(
SELECT run_id, job_id, status, started_at, completed_at, error_details, version FROM run_results
 WHERE project_id = $1 AND run_id = $2 LIMIT 1)"};

// A queued run may have output from an earlier attempt, which must be moved like that of any run that ends.
constexpr postgres::statement cancel_run{"run_cancel", R"(
WITH gone AS (
  DELETE FROM run_queue WHERE project_id = $1 AND run_id = $2 AND status = 'queued'
  RETURNING run_id, project_id, job_id, trigger, attempt, runner_id, started_at, version
), ended AS (
  INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, runner_id, started_at, reported,
                           version)
  SELECT run_id, project_id, job_id, trigger, 'cancelled', attempt, runner_id, started_at, '[]', version + 1 FROM gone
)
INSERT INTO run_output (run_id) SELECT run_id FROM gone WHERE attempt > 0 ON CONFLICT DO NOTHING)"};

// The runner learns of this from the response to its next heartbeat or to a request that is already waiting.
constexpr postgres::statement ask_to_cancel{"run_ask_to_cancel", R"(
UPDATE run_queue SET cancel_requested_at = clock_timestamp(), version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND run_id = $2 AND cancel_requested_at IS NULL)"};

// Checks the age again for each deleted row, because a trigger may be giving the key a new run right now. A key is as
// old as its run, so the oldest are found by the runs' ids.
consteval auto sweep_sql(auto const& table, auto const& oldest) {
  return sql("WITH old AS (SELECT job_id, key FROM ", table,
             " WHERE created_at <= statement_timestamp() - interval '24 hours' ", oldest,
             " LIMIT 1000 FOR UPDATE SKIP LOCKED)"
             " DELETE FROM ",
             table,
             " k USING old WHERE k.job_id = old.job_id AND k.key = old.key"
             " AND k.created_at <= statement_timestamp() - interval '24 hours'");
}
constexpr auto delete_keys_sql =
    sweep_sql("idempotency_keys",
              "AND run_id < (SELECT first_id_at(statement_timestamp() - interval '24 hours')) ORDER BY run_id");
constexpr postgres::statement delete_keys{"run_sweep_keys", delete_keys_sql};
constexpr auto delete_orphans_sql = sweep_sql("orphaned_idempotency_keys", "ORDER BY created_at");
constexpr postgres::statement delete_orphans{"run_sweep_orphaned_keys", delete_orphans_sql};
constexpr std::int64_t swept_at_once = 1000;

constexpr postgres::statement ended_runs{"run_ended", R"(
SELECT ended.run_id FROM unnest((SELECT $1::uuid[])) asked (id)
 CROSS JOIN LATERAL (SELECT e.run_id FROM run_results e WHERE e.run_id = asked.id LIMIT 1) ended)"};

// The two statements are sent together, in this order. The first one waits for the run's lock. If the run has left
// the queue by then, the second statement sees its end.
constexpr postgres::statement lock_queued{"run_lock_queued", R"(
SELECT status, version FROM run_queue WHERE project_id = $1 AND run_id = $2 FOR UPDATE)"};
constexpr postgres::statement lock_ended{"run_lock_ended", R"(
SELECT status, version FROM run_results WHERE project_id = $1 AND run_id = $2 LIMIT 1 FOR UPDATE)"};

constexpr postgres::statement delete_run{"run_delete", "SELECT delete_runs(ARRAY[$1::uuid])"};

}  // namespace

run read_run_row(postgres::row r, int first) {
  run made;
  auto const entry = [first](int column) { return first + column; };
  made.id = r.id(entry(0));
  made.job = r.maybe_id(entry(1));
  made.job_name = r.maybe_text(entry(2));
  made.test = r.maybe_id(entry(3));
  made.job_type = r.text(entry(4));
  made.status = r.text(entry(5));
  made.trigger = r.text(entry(6));
  made.triggered_by = r.text(entry(7));
  made.parameters = r.text(entry(8));
  made.tests = r.text(entry(9));
  made.test_count = r.integer(entry(10));
  made.attempt = r.integer(entry(11));
  made.queued_at = r.time(entry(12));
  made.started_at = r.maybe_time(entry(13));
  made.completed_at = r.maybe_time(entry(14));
  made.error_details = r.maybe_text(entry(15));
  made.report_url = r.maybe_text(entry(16));
  made.version = r.integer(entry(17));
  made.created_at = r.time(entry(18));
  made.updated_at = r.time(entry(19));
  return made;
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
  auto const ask = [&](postgres::statement const& statement) {
    return read_one<run_progress>(db_.read({statement, postgres::parameters(project, id)}, until), read);
  };
  auto live = co_await ask(get_live_progress);
  if (live) co_return live;
  co_return co_await ask(get_last_progress);
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

namespace {

struct locked_run {
  std::string status;
  std::int64_t version = 0;
  bool over = false;
};

/// Errors: not_found.
task<result<locked_run>> lock_run(postgres::unit_of_work& work, uuid project, uuid id) {
  std::vector<postgres::query> both{{lock_queued, postgres::parameters(project, id)},
                                    {lock_ended, postgres::parameters(project, id)}};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(both)));
  bool const over = found[0].empty();
  postgres::rows const& known = found[over ? 1 : 0];
  if (known.empty()) co_return errc::not_found;
  co_return locked_run{std::string(known.front().text(0)), known.front().integer(1), over};
}

}  // namespace

task<result<run>> run_store::cancel(editor editor, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  auto const begun = co_await lock_run(work, editor.project, id);
  if (!begun) co_return begun.error();
  if (begun->over) co_return errc::run_already_over;
  bool const running = begun->status == "running";
  std::vector<postgres::query> last{
      {running ? ask_to_cancel : cancel_run, postgres::parameters(editor.project, id)},
      audit_query(editor.entry(running ? "run.cancel_requested" : "run.cancelled", "run", id)),
      {get_run, postgres::parameters(editor.project, id)}};
  std::vector<postgres::rows> const done = settled(co_await work.commit(std::move(last)));
  co_return read_run_row(done.back().front());
}

task<result<>> run_store::remove(editor editor, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  auto const begun = co_await lock_run(work, editor.project, id);
  if (!begun) co_return begun.error();
  if (!editor.expects(begun->version)) co_return errc::precondition_failed;
  if (!begun->over) co_return errc::run_not_over;
  std::string const details = R"({"status":")" + begun->status + R"("})";
  std::vector<postgres::query> last{{delete_run, postgres::parameters(id)},
                                    audit_query(editor.entry("run.deleted", "run", id, details))};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
