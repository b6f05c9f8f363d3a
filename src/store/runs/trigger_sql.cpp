
#include "store/runs/new_run_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"

#include <algorithm>

namespace svc::store {
namespace {

// A trigger with a key holds the key's lock until COMMIT, so two triggers can never both find the key unused. A batch
// does not wait for locks, and so never for another batch. A separate statement takes the locks, because the snapshot
// of the next one must be newer than the locks to see what their previous holders committed. A transaction-local
// setting tells the next statement which locks were granted, which saves a round trip.
constexpr postgres::statement lock_keys{"trigger_lock_keys", R"(
SELECT set_config('svc.trigger_locks', (
  SELECT string_agg(((key = '' OR pg_try_advisory_xact_lock(hashtextextended('trigger ' || job || ' ' || key, 0)))
                     AND (dedup = '' OR pg_try_advisory_xact_lock(hashtextextended('dedup ' || job || ' ' || dedup, 0)))
                    )::text, ',' ORDER BY place)
    FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY a (job, key, dedup, place)), true))"};

// Takes any number of requests, so that several can share one commit. Each array has one element per request; `place`
// assigns the result rows to the requests; a nil id means none. Expected failures are columns of the result: the
// statement itself never fails because of what a client sent, so one request cannot undo the others in its batch.
//
// A new run needs two locks: one on its job's row (the foreign key needs KEY SHARE), which conflicts with a deletion,
// and one that conflicts with a change of `maxConcurrentRuns`. The statement does not wait for them: a request that
// does not get them is told so and tried again, and the others continue.
//
// The arrays are in sub-selects, so that the planner cannot see their length. Otherwise a custom plan always looks
// cheaper than the generic one, and each trigger costs 0.5 ms of planning instead of 0.05 ms.
constexpr postgres::statement trigger_runs{"run_trigger", R"(
WITH asked AS (
  SELECT run_id, project_id, organization_id, job_id, given, triggered_by, audit_id, actor_name, ip, user_agent,
         request_id, key, request_hash, dedup, subject, seen_epoch, string_to_array(roles, ',') AS roles, decode(secret, 'hex') AS secret,
         room = 1 AS room, place,
         coalesce((string_to_array(current_setting('svc.trigger_locks', true), ','))[place]::boolean,
                  key = '' AND dedup = '') AS mine,
         nullif(token_id, '00000000-0000-0000-0000-000000000000') AS token_id,
         nullif(actor_id, '00000000-0000-0000-0000-000000000000') AS actor_id,
         nullif(writer, '00000000-0000-0000-0000-000000000000') AS writer
    FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[]), (SELECT $3::uuid[]), (SELECT $4::uuid[]),
                (SELECT $5::text[]), (SELECT $6::text[]), (SELECT $7::uuid[]), (SELECT $8::uuid[]),
                (SELECT $9::uuid[]), (SELECT $10::text[]), (SELECT $11::text[]), (SELECT $12::text[]),
                (SELECT $13::text[]), (SELECT $14::text[]), (SELECT $15::text[]), (SELECT $16::text[]),
                (SELECT $17::uuid[]), (SELECT $18::uuid[]), (SELECT $19::bigint[]), (SELECT $20::text[]),
                (SELECT $21::text[]), (SELECT $22::bigint[]))
         WITH ORDINALITY a (run_id, project_id, organization_id, job_id, given, triggered_by, token_id, audit_id,
                            actor_id, actor_name, ip, user_agent, request_id, key, request_hash, dedup, writer,
                            subject, seen_epoch, roles, secret, room, place)
), judged AS (
  SELECT a.*, j.id IS NOT NULL AS found, j.name, j.job_type, j.enabled, j.timeout_seconds,
         jsonb_array_length(planned.tests) AS test_count, planned.tests, told.undeclared, told.missing,
         told.defaults || a.given::jsonb AS merged, clock_timestamp() AS at,
         kept.run_id AS kept_run, kept.request_hash = a.request_hash AS kept_fits, kept.gone AS kept_gone,
         CASE WHEN a.writer IS NULL THEN NULL
              WHEN EXISTS (SELECT FROM subjects s WHERE s.id = a.subject AND s.epoch = a.seen_epoch) THEN NULL
              ELSE late_writer_refusal(a.writer, a.roles, a.secret) END AS refusal
    FROM asked a
    LEFT JOIN jobs j ON j.project_id = a.project_id AND j.id = a.job_id AND j.deleted_at IS NULL
    LEFT JOIN LATERAL (
      SELECT k.run_id, k.request_hash, false AS gone FROM idempotency_keys k
       WHERE a.key <> '' AND k.job_id = a.job_id AND k.key = a.key
         AND k.created_at > statement_timestamp() - interval '24 hours'
       UNION ALL
      SELECT o.run_id, o.request_hash, true FROM orphaned_idempotency_keys o
       WHERE a.key <> '' AND o.job_id = a.job_id AND o.key = a.key
         AND o.created_at > statement_timestamp() - interval '24 hours'
       ORDER BY gone LIMIT 1) kept ON true
   CROSS JOIN LATERAL (
)" SVC_PLANNED_TESTS R"() planned
   CROSS JOIN LATERAL (
)" SVC_PLANNED_PARAMETERS("a.given::jsonb") R"(,
            ARRAY(SELECT k FROM jsonb_object_keys(a.given::jsonb) k
                   WHERE NOT EXISTS (SELECT FROM jsonb_array_elements(j.parameters) named (q) WHERE q ->> 'name' = k)
                   ORDER BY k) AS undeclared
       FROM jsonb_array_elements(j.parameters) declared (p)) told
), fit AS (
  SELECT judged.*, joined.id AS joined_run
    FROM judged
    LEFT JOIN LATERAL (
      SELECT r.id FROM runs r
       WHERE judged.dedup <> '' AND r.job_id = judged.job_id AND r.dedup_key = judged.dedup
         AND r.status = 'queued' AND r.claim_id IS NULL AND r.parameters = judged.merged
       ORDER BY r.queued_at, r.id LIMIT 1) joined ON true
   WHERE refusal IS NULL AND mine AND found AND kept_run IS NULL AND enabled AND test_count > 0
     AND undeclared = '{}' AND missing = '{}'
), wanted AS MATERIALIZED (
  SELECT DISTINCT job_id FROM fit WHERE joined_run IS NULL AND room
), unchanging AS MATERIALIZED (
  SELECT job_id FROM wanted WHERE pg_try_advisory_xact_lock_shared(hashtextextended('limit ' || job_id, 0))
), held AS MATERIALIZED (
  SELECT j.id FROM unchanging JOIN jobs j ON j.id = unchanging.job_id
   WHERE j.deleted_at IS NULL FOR KEY SHARE OF j SKIP LOCKED
), entering AS (
  SELECT fit.* FROM fit JOIN held ON held.id = fit.job_id WHERE fit.joined_run IS NULL AND fit.room
), made AS (
  INSERT INTO runs (id, project_id, job_id, job_name, job_type, trigger, triggered_by, token_id, parameters, tests,
                    test_count, timeout_seconds, dedup_key, queued_at, created_at, updated_at)
  SELECT run_id, project_id, job_id, name, job_type, 'remote', triggered_by, token_id, merged, tests,
         test_count, timeout_seconds, nullif(dedup, ''), at, at, at
    FROM entering
  RETURNING id, status, queued_at
), kept_now AS (
  INSERT INTO idempotency_keys (job_id, key, request_hash, run_id)
  SELECT job_id, key, request_hash, run_id FROM entering WHERE key <> ''
  ON CONFLICT (job_id, key) DO UPDATE
     SET request_hash = excluded.request_hash, run_id = excluded.run_id, created_at = excluded.created_at
), audited AS (
  INSERT INTO audit_log (id, organization_id, project_id, action, actor_id, actor_name, actor_token_id, resource,
                         resource_id, ip, user_agent, request_id, details)
  SELECT audit_id, organization_id, project_id, 'job.triggered', actor_id, actor_name, token_id, 'job', job_id,
         nullif(ip, ''), nullif(user_agent, ''), nullif(request_id, ''), jsonb_build_object('run', run_id)
    FROM entering
)
SELECT a.refusal, a.mine, a.found, a.enabled, a.test_count, a.undeclared, a.missing, a.kept_run, a.kept_fits,
       coalesce(made.id, r.id, o.run_id), coalesce(r.job_name, o.job_name, a.name),
       coalesce(made.status, r.status, o.status), coalesce(r.test_count, o.test_count, a.test_count),
       coalesce(r.triggered_by, o.triggered_by, a.triggered_by), coalesce(made.queued_at, r.queued_at, o.queued_at),
       coalesce(r.job_type, o.job_type, a.job_type),
       fit.place IS NOT NULL AND fit.joined_run IS NULL AND NOT a.room,
       fit.place IS NOT NULL AND fit.joined_run IS NULL AND a.room AND made.id IS NULL, coalesce(a.kept_gone, false)
  FROM judged a
  LEFT JOIN fit ON fit.place = a.place
  LEFT JOIN made ON made.id = a.run_id
  LEFT JOIN LATERAL (SELECT * FROM runs WHERE runs.id = coalesce(a.kept_run, fit.joined_run) LIMIT 1) r ON true
  LEFT JOIN LATERAL (SELECT * FROM orphaned_idempotency_keys k
                      WHERE a.kept_gone AND k.job_id = a.job_id AND k.key = a.key LIMIT 1) o ON true
 ORDER BY a.place)"};

constexpr postgres::statement find_runs{"trigger_find_runs", R"(
SELECT id, job_name, status, test_count, triggered_by, queued_at, job_type FROM runs WHERE id = ANY ($1))"};

using rows_view = std::span<trigger_row const>;
using ids = std::vector<uuid>;
using texts = std::vector<std::string>;

/// Adds one parameter for each column, in the order of the statement.
postgres::parameters columns_of(rows_view rows) {
  auto const id = [&](auto&& of) { return postgres::column<uuid>(rows, of); };
  auto const text = [&](auto&& of) { return postgres::column<std::string>(rows, of); };
  auto const permit = [](trigger_row const& r) { return r.by.actor.permit.value_or(write_permit{}); };
  auto const roles = [&](trigger_row const& r) {
    std::string out;
    for (auto const& role : permit(r).roles) out += (out.empty() ? "" : ",") + role;
    return out;
  };
  auto const secret = [&](trigger_row const& r) {
    auto const digest = permit(r).secret;
    return digest ? to_hex(*digest) : std::string();
  };
  using row = trigger_row const&;
  return postgres::parameters(
      id([](row r) { return r.run; }), id([](row r) { return r.by.project; }),
      id([](row r) { return r.by.organization; }), id([](row r) { return r.wanted.job; }),
      text([](row r) { return r.wanted.parameters; }), text([](row r) { return r.wanted.triggered_by; }),
      id([](row r) { return r.by.actor.token.value_or(uuid{}); }), id([](row r) { return r.audit; }),
      id([](row r) { return r.by.actor.user.value_or(uuid{}); }), text([](row r) { return r.by.actor.name; }),
      text([](row r) { return r.by.actor.ip; }), text([](row r) { return audit_user_agent(r.by.actor.user_agent); }),
      text([](row r) { return r.by.actor.request_id; }), text([](row r) { return r.wanted.idempotency_key; }),
      text([](row r) { return r.wanted.request_hash; }), text([](row r) { return r.wanted.dedup_key; }),
      id([&](row r) { return permit(r).token; }), id([&](row r) { return permit(r).subject; }),
      postgres::column<std::int64_t>(rows, [&](row r) { return permit(r).epoch; }), text(roles), text(secret),
      postgres::column<std::int64_t>(rows, [](row r) { return r.room ? 1 : 0; }));
}

postgres::query lock_query(rows_view rows) {
  return {lock_keys,
          postgres::parameters(
              postgres::column<uuid>(rows, [](trigger_row const& r) { return r.wanted.job; }),
              postgres::column<std::string>(rows, [](trigger_row const& r) { return r.wanted.idempotency_key; }),
              postgres::column<std::string>(rows, [](trigger_row const& r) { return r.wanted.dedup_key; }))};
}

error wrong_parameters(texts const& undeclared, texts const& missing) {
  std::vector<field_error> wrong;
  for (auto const& name : undeclared) wrong.push_back({"/parameters/" + name, "is not declared by the job"});
  for (auto const& name : missing) wrong.push_back({"/parameters/" + name, "is required"});
  return {errc::validation_failed, "The parameters do not fit the job.", std::move(wrong)};
}

triggered_run read_run(postgres::row r, int first, run_origin origin) {
  return {r.id(first),
          std::string(r.text(first + 1)),
          std::string(r.text(first + 6)),
          std::string(r.text(first + 2)),
          r.integer(first + 3),
          std::string(r.text(first + 4)),
          r.time(first + 5),
          origin};
}

/// The right to write is checked first. A request that was answered before gets the same answer, even if its job has
/// changed since.
trigger_verdict read_verdict(postgres::row r, uuid wanted) {
  if (auto const refused = r.maybe_text(0)) return refusal_named(*refused);
  if (!r.boolean(1)) return errc::idempotency_in_progress;
  if (!r.boolean(2)) return errc::not_found;
  if (!r.is_null(7)) {
    if (!r.boolean(8)) return errc::idempotency_mismatch;
    triggered_run kept = read_run(r, 9, run_origin::replayed);
    kept.deleted = r.boolean(18);
    return kept;
  }
  if (!r.boolean(3)) return errc::job_disabled;
  if (r.integer(4) == 0) return errc::job_has_no_tests;
  auto const undeclared = r.texts(5);
  auto const missing = r.texts(6);
  if (!undeclared.empty() || !missing.empty()) return wrong_parameters(undeclared, missing);
  if (r.boolean(16)) return errc::queue_full;
  if (r.boolean(17)) return errc::unavailable;  // a change holds the job; the caller tries again
  return read_run(r, 9, r.id(9) == wanted ? run_origin::made : run_origin::joined);
}

}  // namespace

task<postgres::outcome<std::vector<trigger_verdict>>> run_triggers(postgres::pool& db, std::vector<trigger_row> rows,
                                                                   deadline until) {
  auto const keyed = [](trigger_row const& r) {
    return !r.wanted.idempotency_key.empty() || !r.wanted.dedup_key.empty();
  };
  std::vector<postgres::query> batch;
  if (std::ranges::any_of(rows, keyed)) batch.push_back(lock_query(rows));
  batch.push_back({trigger_runs, columns_of(rows)});
  auto const done = co_await db.run(std::move(batch), until);
  if (!done) co_return done.error();
  postgres::rows const& found = done->back();
  std::vector<trigger_verdict> verdicts;
  verdicts.reserve(rows.size());
  for (int i = 0; i < found.size(); ++i)
    verdicts.push_back(read_verdict(found[i], rows[static_cast<std::size_t>(i)].run));
  co_return verdicts;
}

task<std::unordered_map<uuid, triggered_run, uuid_hash>> find_triggered(postgres::pool& db, std::vector<uuid> runs,
                                                                        deadline until) {
  postgres::query ask{find_runs, postgres::parameters(runs)};
  postgres::rows const found = settled(co_await db.run(std::move(ask), until));
  std::unordered_map<uuid, triggered_run, uuid_hash> out;
  for (int i = 0; i < found.size(); ++i) out.emplace(found[i].id(0), read_run(found[i], 0, run_origin::made));
  co_return out;
}

}  // namespace svc::store
