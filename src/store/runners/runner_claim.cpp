#include "store/directory/project_key.hpp"
#include "store/runners/runner_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/core/turns.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runner_store.hpp"

namespace svc::store {

namespace {

/// The most bytes of parameters, scripts and variables in a response, before conversion to JSON. One run always fits.
constexpr std::int64_t most_bytes = 8LL * 1024 * 1024;

// Only reports read this time, so it may be a little out of date.
constexpr postgres::statement note_runner{"executor_seen", R"(
UPDATE executors e SET last_seen_at = clock_timestamp() FROM executor_tokens t
 WHERE e.id = $2 AND t.id = e.token_id AND t.digest = $1 AND t.revoked_at IS NULL
   AND e.last_seen_at < clock_timestamp() - interval '10 seconds')"};

// A claim of runs of a limited job holds the job's lock until COMMIT, so that only one claim at a time counts the
// job's running runs and adds to them. Claims never wait for a lock: they skip the jobs that another claim holds. A
// separate statement takes the locks, because the snapshot of the next one must be newer than the locks. If a project
// may hold only part of a shared runner, the runner's claims exclude each other, by a lock that they do not wait for
// either.
constexpr postgres::statement lock_limited_jobs{"executor_lock_jobs", "WITH " SVC_RUNNER_AUTH R"(
SELECT set_config('svc.claim_jobs', coalesce((
  SELECT string_agg(waits.id::text, ',') FROM (
    SELECT j.id FROM auth, projects p JOIN jobs j ON j.project_id = p.id AND j.max_concurrent_runs IS NOT NULL
     WHERE)" SVC_IN_SCOPE R"(AND p.archived_at IS NULL AND j.job_type = ANY ((SELECT $2::text[])::text[])
       AND EXISTS (SELECT FROM runs r WHERE r.job_id = j.id AND r.status = 'queued' AND r.limited)
    OFFSET 0) waits
   WHERE pg_try_advisory_xact_lock(hashtextextended('claim ' || waits.id, 0))), ''), true),
  set_config('svc.claim_alone', (SELECT CASE WHEN $4::bigint = 0 OR project_id IS NOT NULL THEN true
    ELSE pg_try_advisory_xact_lock(hashtextextended('slots ' || $3::uuid, 0)) END FROM auth)::text, true))"};

// Each slot goes to the project that holds the fewest slots of this runner; among equals, to the project whose last
// claim by any runner is the longest ago; within a project, to the oldest run.
//
// `turn` has the projects in that order, as many as can be needed; for a project with nothing queued, one index entry
// is read. Candidates are read without a lock from both queues (limited and unlimited jobs), about 100 more than
// wanted, because those that another claim is taking right now are skipped without waiting. A limited job has no more
// candidates than it may start runs.
//
// Parameters that are used as counts are in sub-selects, so that the planner cannot see their values. Otherwise a
// custom plan always looks cheaper than the generic one, and planning costs each claim twice as much as executing it.
//
// $7 limits how many slots of this runner a project may hold if projects share the runner. A response has at most $6
// bytes of parameters, scripts and variables, or only the first run. The other runs of `taken` stay queued; COMMIT
// releases their locks. Lengths are read without the values.
constexpr postgres::statement claim_runs{"executor_claim", "WITH " SVC_RUNNER_AUTH R"(, scope AS MATERIALIZED (
  SELECT p.id, CASE WHEN auth.project_id IS NULL THEN nullif((SELECT $7::bigint), 0) END AS bound
    FROM auth, projects p WHERE)" SVC_IN_SCOPE R"(AND p.archived_at IS NULL
     AND EXISTS (SELECT FROM executors e WHERE e.id = $2 AND e.token_id = auth.id)
), held AS MATERIALIZED (
  SELECT r.project_id, count(*) AS runs FROM runs r WHERE r.executor_id = $2 AND r.status = 'running'
   GROUP BY r.project_id
), room AS MATERIALIZED (
  SELECT j.id, j.project_id, j.max_concurrent_runs
               - (SELECT count(*) FROM runs r WHERE r.job_id = j.id AND r.status = 'running') AS free
    FROM jobs j
   WHERE j.id = ANY (string_to_array(nullif(current_setting('svc.claim_jobs', true), ''), ',')::uuid[])
), turn AS MATERIALIZED (
  SELECT waits.id, coalesce(held.runs, 0) AS held, waits.bound - coalesce(held.runs, 0) AS open,
         (SELECT r.started_at FROM runs r WHERE r.project_id = waits.id AND r.started_at IS NOT NULL
           ORDER BY r.started_at DESC LIMIT 1) AS lately
    FROM (
      SELECT scope.id, scope.bound, (
        SELECT min(head.queued_at) FROM unnest((SELECT $3::text[])) l (job_type) CROSS JOIN LATERAL (
          SELECT r.queued_at FROM runs r
           WHERE r.project_id = scope.id AND r.job_type = l.job_type AND r.status = 'queued' AND NOT r.limited
           ORDER BY r.queued_at, r.id LIMIT 1) head) AS since
        FROM scope OFFSET 0) waits
    LEFT JOIN held ON held.project_id = waits.id
   WHERE (waits.since IS NOT NULL OR waits.id IN (SELECT project_id FROM room WHERE free > 0))
     AND (waits.bound IS NULL OR waits.bound > coalesce(held.runs, 0))
     AND current_setting('svc.claim_alone', true) = 'true'
   ORDER BY 2, 4 NULLS FIRST, waits.since, waits.id LIMIT (SELECT $4::bigint) + 100
), near AS MATERIALIZED (
  SELECT c.id, c.queued_at, turn.id AS project_id
    FROM turn CROSS JOIN unnest((SELECT $3::text[])) l (job_type) CROSS JOIN LATERAL (
      SELECT r.id, r.queued_at FROM runs r
       WHERE r.project_id = turn.id AND r.job_type = l.job_type AND r.status = 'queued' AND NOT r.limited
       ORDER BY r.queued_at, r.id LIMIT (SELECT $4::bigint) + (SELECT 100 / greatest(count(*), 1) FROM turn)) c
  UNION ALL
  SELECT c.id, c.queued_at, room.project_id FROM room CROSS JOIN LATERAL (
    SELECT r.id, r.queued_at FROM runs r
     WHERE r.job_id = room.id AND r.status = 'queued' AND r.limited
     ORDER BY r.queued_at, r.id LIMIT greatest(0, least(room.free, (SELECT $4::bigint)))) c
   WHERE room.project_id IN (SELECT id FROM turn)
), ranked AS MATERIALIZED (
  SELECT near.id, near.queued_at, turn.open, turn.lately,
         turn.held + row_number() OVER (PARTITION BY near.project_id ORDER BY near.queued_at, near.id) AS place
    FROM near JOIN turn ON turn.id = near.project_id
), locked AS MATERIALIZED (
  SELECT r.id, r.queued_at, r.project_id, r.parameters, r.tests, n.place, n.lately, n.open
    FROM (SELECT * FROM ranked ORDER BY place, lately NULLS FIRST, queued_at, id LIMIT (SELECT $4::bigint) + 100) n
    JOIN runs r ON r.id = n.id AND r.status = 'queued'
   ORDER BY n.place, n.lately NULLS FIRST, n.queued_at, n.id LIMIT (SELECT $4::bigint) FOR UPDATE OF r SKIP LOCKED
), taken AS MATERIALIZED (
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY queued_at, id) AS nth FROM locked) one
   WHERE open IS NULL OR nth <= open
), given AS MATERIALIZED (
  SELECT v.project_id, sum(octet_length(v.key) + octet_length(v.sealed)) AS size
    FROM variables v WHERE v.project_id IN (SELECT project_id FROM taken) AND (SELECT count(*) FROM taken) > 1
   GROUP BY v.project_id
), beyond AS MATERIALIZED (
  SELECT id FROM (
    SELECT taken.id, row_number() OVER first > 1 AND
           sum(octet_length(taken.parameters::text) + scripts.size + coalesce(given.size, 0)) OVER first
             > (SELECT $6::bigint) AS is_beyond
      FROM taken LEFT JOIN given ON given.project_id = taken.project_id
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(octet_length(t.title) + octet_length(t.script)), 0) AS size
         FROM jsonb_array_elements(taken.tests) planned (of)
         JOIN tests t ON t.project_id = taken.project_id AND t.id = (planned.of ->> 'id')::uuid) scripts
     WHERE (SELECT count(*) FROM taken) > 1
    WINDOW first AS (ORDER BY taken.place, taken.lately NULLS FIRST, taken.queued_at, taken.id)) sized
   WHERE is_beyond
), claimed AS (
  UPDATE runs r SET status = 'running', claim_id = gen_random_uuid(), attempt = r.attempt + 1, executor_id = $2,
         lease_until = clock_timestamp() + make_interval(secs => $5), started_at = clock_timestamp(),
         version = r.version + 1, updated_at = clock_timestamp()
    FROM taken WHERE r.id = taken.id AND NOT EXISTS (SELECT FROM beyond WHERE beyond.id = taken.id)
  RETURNING r.id, r.claim_id, r.attempt, r.project_id, r.job_id, r.job_name, r.job_type, r.timeout_seconds,
            r.parameters, r.tests, r.queued_at
)
SELECT)" SVC_TOKEN_STATE R"(, (SELECT count(*) FROM scope) > 0 OR EXISTS (
         SELECT FROM auth JOIN executors e ON e.token_id = auth.id AND e.id = $2),
       (SELECT count(*) FROM near) > (SELECT count(*) FROM claimed),
       (SELECT set_config('svc.claimed_in', (SELECT string_agg(DISTINCT project_id::text, ',') FROM claimed), true)),
       c.id, c.claim_id, c.attempt, c.project_id, c.job_id, c.job_name, c.job_type, c.timeout_seconds, c.parameters,
       coalesce((SELECT json_agg(json_build_object('id', t.id, 'title', t.title, 'type', t.type, 'script', t.script)
                                 ORDER BY planned.place)
                   FROM jsonb_array_elements(c.tests) WITH ORDINALITY planned (of, place)
                   JOIN tests t ON t.project_id = c.project_id AND t.id = (planned.of ->> 'id')::uuid), '[]'),
       c.queued_at
  FROM (VALUES (1)) one LEFT JOIN claimed c ON true ORDER BY c.queued_at, c.id)"};

constexpr postgres::statement variables_of_claimed{"executor_variables",
                                                   "SELECT v.project_id," SVC_VARIABLE_COLUMNS SVC_VARIABLE_TABLES R"(
 WHERE v.project_id = ANY (string_to_array(nullif(current_setting('svc.claimed_in', true), ''), ',')::uuid[])
 ORDER BY v.project_id, v.key)"};

constexpr int first_of_run = 4, column_of_tests = first_of_run + 9;

claimed_run read_run(postgres::row r, int first) {
  auto const at = [first](int column) { return first + column; };
  return {.run = r.id(at(0)),
          .claim = r.id(at(1)),
          .attempt = r.integer(at(2)),
          .project = r.id(at(3)),
          .job = r.maybe_id(at(4)),
          .job_name = r.maybe_text(at(5)),
          .job_type = std::string(r.text(at(6))),
          .timeout_seconds = r.integer(at(7)),
          .parameters = std::string(r.text(at(8))),
          .queued_at = r.time(at(10))};
}

/// Reads everything except each run's tests, which contain the scripts.
claim_batch read_batch(postgres::rows const& found, postgres::rows const& given, master_keys& master) {
  claim_batch out;
  out.more = found.front().boolean(2);
  for (int i = 0; i < found.size() && !found[i].is_null(first_of_run); ++i)
    out.runs.push_back(read_run(found[i], first_of_run));
  for (int i = 0; i < given.size(); ++i) {
    auto const row = given[i];
    out.variables[row.id(0)].push_back(
        {std::string(row.text(2)), open_variable(master, row, 1, row.id(0)), row.boolean(3)});
  }
  return out;
}

}  // namespace

task<result<claim_batch>> runner_store::claim(sha256_digest secret, claim_request wanted, deadline until) {
  byte_view const digest(secret);
  std::vector<postgres::query> batch{
      {note_runner, postgres::parameters(digest, wanted.runner)},
      {lock_limited_jobs, postgres::parameters(digest, wanted.labels, wanted.runner, max_per_project_)},
      {claim_runs, postgres::parameters(digest, wanted.runner, wanted.labels, wanted.most, first_lease_.count(),
                                        most_bytes, max_per_project_)},
      {variables_of_claimed}};
  // The variables are opened before COMMIT, so that a run whose variables cannot be opened is not claimed.
  postgres::unit_of_work work = co_await db_.begin(until);
  auto const done = settled(co_await work.run(std::move(batch)));
  postgres::rows const& found = done[2];
  if (auto const refused = runner_refusal(found.front())) co_return *refused;
  if (!found.front().boolean(1)) co_return errc::not_found;
  auto out = read_batch(found, done[3], master_);
  auto const whole = std::make_shared<postgres::rows>(found);
  for (int i = 0; auto& run : out.runs) {
    auto const tests = (*whole)[i++].text(column_of_tests);
    // libpq has just copied a large text, and this copies it again.
    if (tests.size() > piece_of_turn) co_await others_turn();
    run.tests = co_await copy_in_turns(whole, tests);
  }
  settled(co_await work.commit());
  co_return out;
}

}  // namespace svc::store
