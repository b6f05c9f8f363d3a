#include "store/runs/trigger_sql.hpp"

#include "store/runs/new_run_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/joined.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace svc::store {
namespace {

// A trigger does not wait for a lock, so no batch waits for another one. A request that does not get its locks is
// retried, and the others continue. Separate statements take the locks. The snapshot of the next statement must be
// newer than the locks, so that it sees the commits of their previous holders. A transaction-local setting passes the
// granted locks to the next statement, one letter for each. This saves a round trip.

// A new run takes its job's lock in shared mode. A deletion and a change of `maxConcurrentRuns` take it exclusively.
//
// The later statements keep their plans. A planner that sees the length of their arrays always expects a new plan to
// be cheaper, and planning costs each batch 0.5 ms.
constexpr postgres::statement lock_jobs{"trigger_lock_jobs", R"(
SELECT set_config('svc.trigger_jobs', (
  SELECT string_agg(CASE WHEN pg_try_advisory_xact_lock_shared(hashtextextended('limit ' || a.id, 0))
                         THEN 't' ELSE 'f' END, '' ORDER BY a.place)
    FROM unnest((SELECT $1::uuid[])) WITH ORDINALITY a (id, place)), true),
  set_config('plan_cache_mode', 'force_generic_plan', true))"};

// A trigger with a key holds the key's lock until COMMIT, so two triggers can never both find the key unused.
constexpr auto lock_keys_sql = sql(R"(
SELECT set_config('svc.trigger_keys', (
  SELECT string_agg(CASE WHEN (key = '' OR pg_try_advisory_xact_lock(
                                             hashtextextended('trigger ' || job || ' ' || key, )",
                                   lock_seed, R"()))
                          AND (dedup = '' OR pg_try_advisory_xact_lock(
                                               hashtextextended('dedup ' || job || ' ' || dedup, )",
                                   lock_seed, R"()))
                         THEN 't' ELSE 'f' END, '' ORDER BY place)
    FROM unnest($1::uuid[], $2::text[], $3::text[])
         WITH ORDINALITY a (job, key, dedup, place)), true))");
constexpr postgres::statement lock_keys{"trigger_lock_keys", lock_keys_sql};

// The statements below take any number of requests, so that several requests can share one commit. Expected failures
// are columns of the result. A statement never fails because of a client's data, so one request cannot undo the
// others in its batch.
//
// The content of a run comes from a plan that was read earlier. `current` is true if the plan still holds in the
// snapshot of this statement, which is newer than the locks. Only then the statement creates the run, or refuses it
// for the plan's reason. Scalar sub-selects, and sub-selects with a LIMIT, keep the planner from reading whole
// tables.
//
// $1 to $10 have one element for each job; the requests name the job's `place`.
constexpr auto triggered_jobs = sql(R"(
WITH moment AS MATERIALIZED (
  SELECT at, left(id_at(at, '00000000-0000-0000-0000-000000000000')::text, 18) AS head FROM (
    SELECT clock_timestamp() AS at) now
), job AS MATERIALIZED (
  SELECT a.place, a.id AS job_id, a.project_id, a.name, a.job_type, a.timeout_seconds::integer AS timeout_seconds,
         a.limited, a.tests::jsonb AS tests, a.test_count::integer AS test_count,
         j.version IS NOT NULL AS found,
         coalesce(j.version, 0) = a.version AND a.tests_version = (
           SELECT coalesce(sum(t.version), 0)::bigint FROM job_tests jt JOIN tests t ON t.id = jt.test_id
            WHERE jt.job_id = a.id) AS current,
         substr(current_setting('svc.trigger_jobs'), a.place::integer, 1) = 't' AS held
    FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[],
                $5::text[], $6::text[], $7::bigint[], $8::boolean[],
                $9::text[], $10::bigint[])
         WITH ORDINALITY a (id, project_id, version, tests_version, name, job_type, timeout_seconds, limited, tests,
                            test_count, place)
    LEFT JOIN LATERAL (SELECT j.version FROM jobs j WHERE j.id = a.id AND j.project_id = a.project_id
                          AND j.deleted_at IS NULL LIMIT 1) j ON true
))");

// $11 to $32 have one element for each request; a nil id means none. `fits` is true if the plan allows a run. The
// arguments add columns, arrays, their names, and joins.
consteval auto asked_triggers(auto const& columns, auto const& arrays, auto const& names, auto const& joins) {
  return sql(R"(, asked AS MATERIALIZED (
  SELECT r.place, job.job_id, job.project_id, name, job_type, timeout_seconds, limited, tests, test_count,
         found, current, held, at, (head || run)::uuid AS run_id, (head || audit)::uuid AS audit_id,
         organization_id, parameters, triggered_by, actor_name, ip, user_agent, request_id,
         nullif(r.trace_parent, '') AS trace_parent,
         nullif(token, '00000000-0000-0000-0000-000000000000') AS token_id,
         nullif(actor, '00000000-0000-0000-0000-000000000000') AS actor_id,
         nullif(r.session, '00000000-0000-0000-0000-000000000000') AS session_id, r.trigger,
         CASE WHEN writer = '00000000-0000-0000-0000-000000000000' THEN NULL
              WHEN (SELECT s.epoch FROM subjects s WHERE s.id = r.subject) = r.seen_epoch THEN NULL
              WHEN r.session <> '00000000-0000-0000-0000-000000000000'
              THEN late_session_refusal(writer, job.project_id, organization_id, string_to_array(roles, ','), secret)
              ELSE late_writer_refusal(writer, string_to_array(roles, ','), secret) END AS refusal,
         current AND held AND r.fits AND room AS enters)",
             columns, R"(
    FROM unnest($11::bigint[], $12::text[], $13::text[], $14::uuid[],
                $15::text[], $16::text[], $17::uuid[], $18::uuid[],
                $19::text[], $20::text[], $21::text[], $22::text[],
                $23::uuid[], $24::uuid[], $25::bigint[], $26::text[],
                $27::bytea[], $28::boolean[], $29::boolean[], $30::text[],
                $31::uuid[], $32::text[])",
             arrays, R"()
         WITH ORDINALITY r (job, run, audit, organization_id, parameters, triggered_by, token, actor, actor_name, ip,
                            user_agent, request_id, writer, subject, seen_epoch, roles, secret, fits, room,
                            trace_parent, session, trigger)",
             names, R"(,
                            place)
    JOIN job ON job.place = r.job CROSS JOIN moment)",
             joins, R"(
))");
}

// The rows of each new run. `entering` is their source.
consteval auto created_runs(auto const& entering, auto const& column, auto const& value) {
  return sql(R"(, queued AS (
  INSERT INTO run_queue (run_id, project_id, job_id, job_type, trigger, limited, timeout_seconds, queued_at,
                         updated_at)",
             column, R"()
  SELECT run_id, project_id, job_id, job_type, trigger, limited, timeout_seconds, at, at)",
             value, R"(
    FROM )",
             entering, R"(
), recorded AS (
  INSERT INTO run_history (id, project_id, job_id, job_name, job_type, trigger, triggered_by, token_id, parameters,
                           tests, test_count, trace_parent, created_at)
  SELECT run_id, project_id, job_id, name, job_type, trigger, triggered_by, token_id, parameters::jsonb, tests,
         test_count, trace_parent, at
    FROM )",
             entering, R"(
), audited AS (
  INSERT INTO audit_log (id, organization_id, project_id, action, actor_id, actor_name, actor_token_id, resource,
                         resource_id, ip, user_agent, request_id, details, created_at, actor_session_id)
  SELECT audit_id, organization_id, project_id, 'job.triggered', actor_id, actor_name, token_id, 'job', job_id,
         nullif(ip, ''), nullif(user_agent, ''), nullif(request_id, ''), jsonb_build_object('run', run_id), at, session_id
    FROM )",
             entering, R"(
))");
}

constexpr auto trigger_plain_sql = sql(triggered_jobs, asked_triggers("", "", "", ""),
                                       created_runs("asked WHERE enters AND refusal IS NULL", "", ""), R"(
SELECT refusal, found, current, held, run_id, at FROM asked ORDER BY place)");
constexpr postgres::statement trigger_plain{"run_trigger", trigger_plain_sql};

// $33 to $35: the keys. With an idempotency key an earlier run answers the trigger, even if its job has changed
// since. With a dedup key a queued run answers.
constexpr auto trigger_keyed_sql =
    sql(triggered_jobs,
        asked_triggers(R"(,
         r.key, r.request_hash, r.dedup, r.fits AND current AS fits,
         substr(current_setting('svc.trigger_keys'), r.place::integer, 1) = 't' AS mine,
         kept.run_id AS kept_run, kept.request_hash = r.request_hash AS kept_fits, kept.gone AS kept_gone)",
                       ", $33::text[], $34::text[], $35::text[]", ", key, request_hash, dedup", R"(
    LEFT JOIN LATERAL (
      SELECT k.run_id, k.request_hash, false AS gone FROM idempotency_keys k
       WHERE r.key <> '' AND k.job_id = job.job_id AND k.key = r.key
         AND k.created_at > statement_timestamp() - interval '24 hours'
       UNION ALL
      SELECT o.run_id, o.request_hash, true FROM orphaned_idempotency_keys o
       WHERE r.key <> '' AND o.job_id = job.job_id AND o.key = r.key
         AND o.created_at > statement_timestamp() - interval '24 hours'
       ORDER BY gone LIMIT 1) kept ON true)"),
        R"(, fit AS MATERIALIZED (
  SELECT place, run_to_join(job_id, nullif(dedup, ''), parameters::jsonb) AS joined_run
    FROM asked WHERE fits AND mine AND refusal IS NULL AND kept_run IS NULL
), entering AS MATERIALIZED (
  SELECT asked.* FROM asked JOIN fit ON fit.place = asked.place WHERE enters AND joined_run IS NULL
))",
        created_runs("entering", ", dedup_key", ", nullif(dedup, '')"), R"(, kept_now AS (
  INSERT INTO idempotency_keys (job_id, key, request_hash, run_id, created_at)
  SELECT job_id, key, request_hash, run_id, at FROM entering WHERE key <> ''
  ON CONFLICT (job_id, key) DO UPDATE
     SET request_hash = excluded.request_hash, run_id = excluded.run_id, created_at = excluded.created_at
)
SELECT a.refusal, a.found, a.current, a.held, a.run_id, a.at, a.mine, a.kept_run, a.kept_fits, a.kept_gone,
       fit.joined_run, coalesce(r.job_name, o.job_name), coalesce(r.job_type, o.job_type), coalesce(r.status, o.status),
       coalesce(r.test_count, o.test_count), coalesce(r.triggered_by, o.triggered_by),
       coalesce(r.queued_at, o.queued_at)
  FROM asked a LEFT JOIN fit ON fit.place = a.place
  LEFT JOIN LATERAL triggered_run(coalesce(a.kept_run, fit.joined_run)) r ON true
  LEFT JOIN LATERAL (SELECT * FROM orphaned_idempotency_keys k
                      WHERE a.kept_gone AND k.job_id = a.job_id AND k.key = a.key LIMIT 1) o ON true
 ORDER BY a.place)");
constexpr postgres::statement trigger_keyed{"run_trigger_keyed", trigger_keyed_sql};

// The ids of new runs are known only from the answer, but the batch itself chose their last 62 bits. No batch takes
// as long as this: its time limit and those of the database's sessions are seconds.
constexpr postgres::statement find_runs{"trigger_find_runs", R"(
SELECT r.id, f.job_name, f.job_type, f.status, f.test_count, f.triggered_by, f.queued_at
  FROM run_history r CROSS JOIN LATERAL triggered_run(r.id) f
 WHERE r.job_id = ANY ((SELECT $1::uuid[])::uuid[]) AND r.id >= (SELECT first_id_at(clock_timestamp() - interval '30 seconds'))
   AND substr(r.id::text, 20) = ANY ((SELECT $2::text[])::text[]))"};

using rows_view = std::span<trigger_row const* const>;
using row = trigger_row const&;

/// The distinct jobs of a transaction's rows. Their places count from 1.
struct named_jobs {
  std::vector<job_plan const*> plans{};
  std::unordered_map<job_plan const*, std::int64_t> indexes{};

  explicit named_jobs(std::vector<trigger_row> const& rows) {
    for (auto const& r : rows)
      if (indexes.emplace(r.plan.get(), static_cast<std::int64_t>(plans.size()) + 1).second)
        plans.push_back(r.plan.get());
  }
};

/// Returns the part of the id that the service chooses: everything after the third dash.
std::string tail_of(uuid const& id) {
  return id.to_string().substr(19);
}

/// Adds one parameter: an array with the `value` of each row.
void add_column(postgres::parameters& parameters, auto const& rows, auto const& value) {
  parameters.add_array(rows, [&](auto const* r) -> decltype(auto) { return value(*r); });
}

void add_jobs(postgres::parameters& parameters, named_jobs const& jobs) {
  using plan = job_plan const&;
  auto const add = [&](auto const& value) { add_column(parameters, jobs.plans, value); };
  add([](plan p) { return p.key.job; });
  add([](plan p) { return p.key.project; });
  add([](plan p) { return p.version; });
  add([](plan p) { return p.tests_version; });
  add([](plan p) { return std::string_view(p.name); });
  add([](plan p) { return std::string_view(p.job_type); });
  add([](plan p) { return p.timeout_seconds; });
  add([](plan p) { return p.limited; });
  add([](plan p) { return std::string_view(p.tests); });
  add([](plan p) { return p.test_count; });
}

std::string roles_of(write_permit const& permit) {
  return joined(permit.roles, ",");
}

/// Adds one parameter for each column, in the order of the statement.
void add_rows(postgres::parameters& parameters, named_jobs const& jobs, rows_view rows) {
  auto const add = [&](auto const& value) { add_column(parameters, rows, value); };
  static write_permit const nobody{};
  auto const permit = [](row r) -> write_permit const& {
    return r.editor.actor.permit ? *r.editor.actor.permit : nobody;
  };
  add([&](row r) { return jobs.indexes.at(r.plan.get()); });
  add([](row r) { return tail_of(r.run); });
  add([](row r) { return tail_of(r.audit); });
  add([](row r) { return r.editor.organization; });
  add([](row r) { return r.parameters ? std::string_view(*r.parameters) : std::string_view("{}"); });
  add([](row r) { return std::string_view(r.wanted.triggered_by); });
  add([](row r) { return r.editor.actor.token.value_or(uuid{}); });
  add([](row r) { return r.editor.actor.user.value_or(uuid{}); });
  add([](row r) { return std::string_view(r.editor.actor.name); });
  add([](row r) { return std::string_view(r.editor.actor.ip); });
  add([](row r) { return audit_user_agent(r.editor.actor.user_agent); });
  add([](row r) { return std::string_view(r.editor.actor.request_id); });
  add([&](row r) { return permit(r).token; });
  add([&](row r) { return permit(r).subject; });
  add([&](row r) { return permit(r).epoch; });
  add([&](row r) { return roles_of(permit(r)); });
  add([&](row r) {
    auto const& digest = permit(r).secret;
    return digest ? byte_view(*digest) : byte_view();
  });
  add([](row r) { return r.parameters.has_value(); });
  add([](row r) { return r.room; });
  add([](row r) { return std::string_view(r.wanted.trace_parent); });
  add([](row r) { return r.editor.actor.session.value_or(uuid{}); });
  add([](row r) { return r.editor.actor.run_trigger(); });
}

void add_keys(postgres::parameters& parameters, rows_view rows) {
  add_column(parameters, rows, [](row r) { return std::string_view(r.wanted.idempotency_key); });
  add_column(parameters, rows, [](row r) { return std::string_view(r.wanted.request_hash); });
  add_column(parameters, rows, [](row r) { return std::string_view(r.wanted.dedup_key); });
}

postgres::query lock_jobs_query(named_jobs const& jobs) {
  postgres::query out{lock_jobs};
  add_column(out.parameters, jobs.plans, [](job_plan const& p) { return p.key.job; });
  return out;
}

postgres::query lock_keys_query(rows_view rows) {
  postgres::query out{lock_keys};
  add_column(out.parameters, rows, [](row r) { return r.wanted.job; });
  add_column(out.parameters, rows, [](row r) { return std::string_view(r.wanted.idempotency_key); });
  add_column(out.parameters, rows, [](row r) { return std::string_view(r.wanted.dedup_key); });
  return out;
}

postgres::query trigger_query(named_jobs const& jobs, rows_view rows, bool keyed) {
  postgres::query out{keyed ? trigger_keyed : trigger_plain};
  add_jobs(out.parameters, jobs);
  add_rows(out.parameters, jobs, rows);
  if (keyed) add_keys(out.parameters, rows);
  return out;
}

/// Reads the columns job_name, job_type, status, test_count, triggered_by, queued_at.
triggered_run read_run(postgres::row r, uuid id, int first, run_origin origin) {
  return {id,
          std::string(r.text(first)),
          std::string(r.text(first + 1)),
          std::string(r.text(first + 2)),
          r.integer(first + 3),
          std::string(r.text(first + 4)),
          r.time(first + 5),
          origin};
}

/// Checks the right to write first. A request that was answered before gets the same answer, even if its job has
/// changed since.
trigger_answer read_answer(postgres::row r, row asked) {
  bool const keyed = asked.keyed();
  if (auto const refused = r.maybe_text(0)) return refusal_named(*refused);
  if (keyed && !r.boolean(6)) return errc::idempotency_in_progress;
  if (!r.boolean(1)) return errc::not_found;
  if (keyed && !r.is_null(7)) {
    if (!r.boolean(8)) return errc::idempotency_mismatch;
    triggered_run kept = read_run(r, r.id(7), 11, run_origin::replayed);
    kept.deleted = r.boolean(9);
    return kept;
  }
  if (!r.boolean(2)) return std::nullopt;
  if (!asked.parameters) return asked.parameters.error();
  if (keyed && !r.is_null(10)) return read_run(r, r.id(10), 11, run_origin::joined);
  if (!asked.room) return errc::queue_full;
  if (!r.boolean(3)) return errc::unavailable;  // a change holds the job; the caller tries again
  job_plan const& plan = *asked.plan;
  return triggered_run{r.id(4),  plan.name, plan.job_type, "queued", plan.test_count, asked.wanted.triggered_by,
                       r.time(5)};
}

}  // namespace

task<postgres::outcome<std::vector<trigger_answer>>> run_triggers(postgres::pool& db, std::vector<trigger_row> rows,
                                                                  deadline until) {
  named_jobs const jobs(rows);
  std::vector<trigger_row const*> plain, keyed;
  for (auto const& r : rows) (r.keyed() ? keyed : plain).push_back(&r);
  std::vector<postgres::query> batch{lock_jobs_query(jobs)};
  if (!keyed.empty()) batch.push_back(lock_keys_query(keyed));
  if (!plain.empty()) batch.push_back(trigger_query(jobs, plain, false));
  if (!keyed.empty()) batch.push_back(trigger_query(jobs, keyed, true));
  auto const done = co_await db.run(std::move(batch), until);
  if (!done) co_return done.error();
  // The statements for rows come last: first those without keys, then those with keys.
  postgres::rows const& of_keyed = done->back();
  postgres::rows const& of_plain = (*done)[done->size() - (keyed.empty() ? 1 : 2)];
  std::vector<trigger_answer> answers;
  answers.reserve(rows.size());
  int next_plain = 0, next_keyed = 0;
  for (auto const& r : rows)
    answers.push_back(r.keyed() ? read_answer(of_keyed[next_keyed++], r) : read_answer(of_plain[next_plain++], r));
  co_return answers;
}

task<std::vector<std::optional<triggered_run>>> find_triggered(postgres::pool& db, std::vector<trigger_row> rows,
                                                               deadline until) {
  named_jobs const jobs(rows);
  postgres::query ask{
      find_runs, postgres::parameters(postgres::column<uuid>(jobs.plans, [](auto const* p) { return p->key.job; }),
                                      postgres::column<std::string>(rows, [](row r) { return tail_of(r.run); }))};
  postgres::rows const found = settled(co_await db.run(std::move(ask), until));
  std::unordered_map<std::string, triggered_run> by_tail;
  for (int i = 0; i < found.size(); ++i)
    by_tail.emplace(tail_of(found[i].id(0)), read_run(found[i], found[i].id(0), 1, run_origin::made));
  std::vector<std::optional<triggered_run>> out;
  for (auto const& r : rows) {
    auto const run = by_tail.find(tail_of(r.run));
    out.push_back(run == by_tail.end() ? std::nullopt : std::optional(run->second));
  }
  co_return out;
}

}  // namespace svc::store
