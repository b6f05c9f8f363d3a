#include "store/executor_sql.hpp"
#include "store/settled.hpp"
#include "store/variable_sql.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/executor_store.hpp"

namespace svc::store {

namespace {

/// Of an answer: parameters, scripts and variables, before they are written as JSON. One run always fits.
constexpr std::int64_t most_bytes = 8LL * 1024 * 1024;

// A row that nothing but reports reads, so it may be a little old.
constexpr postgres::statement note_executor{"executor_seen", R"(
UPDATE executors e SET last_seen_at = clock_timestamp() FROM executor_tokens t
 WHERE e.id = $2 AND t.id = e.token_id AND t.digest = $1 AND t.revoked_at IS NULL
   AND e.last_seen_at < clock_timestamp() - interval '10 seconds')"};

// Whoever claims runs of a limited job holds its lock until COMMIT, so that its running runs are counted and added to
// by one at a time. Locks are only tried: a claim leaves out the jobs that another one has in hand. They are taken by
// a statement of their own, because the snapshot of the next one must be younger than the lock.
constexpr postgres::statement lock_limited_jobs{"executor_lock_jobs", "WITH " SVC_EXECUTOR_AUTH R"(
SELECT set_config('svc.claim_jobs', coalesce((
  SELECT string_agg(waits.id::text, ',') FROM (
    SELECT j.id FROM auth, projects p JOIN jobs j ON j.project_id = p.id AND j.max_concurrent_runs IS NOT NULL
     WHERE)" SVC_IN_SCOPE R"(AND p.archived_at IS NULL AND j.job_type = ANY ((SELECT $2::text[])::text[])
       AND EXISTS (SELECT FROM runs r WHERE r.job_id = j.id AND r.status = 'queued' AND r.limited)
    OFFSET 0) waits
   WHERE pg_try_advisory_xact_lock(hashtextextended('claim ' || waits.id, 0))), ''), true))"};

// Candidates are read without a lock, from both queues, 100 more than wanted: those that another claim is taking at
// this moment are skipped without waiting. Of a limited job there are no more candidates than it has room.
// Parameters that say how many stand in sub-selects, so that the planner cannot know them: otherwise a plan for these
// values always looks cheaper than the shared one, and each claim pays for planning twice what it costs.
// An answer has $6 bytes of parameters, scripts and variables, or the oldest run alone: the others of `taken` stay
// queued, and their locks go with COMMIT. Lengths are read without the values.
constexpr postgres::statement claim_runs{"executor_claim", "WITH " SVC_EXECUTOR_AUTH R"(, scope AS MATERIALIZED (
  SELECT p.id FROM auth, projects p WHERE)" SVC_IN_SCOPE R"(AND p.archived_at IS NULL
     AND EXISTS (SELECT FROM executors e WHERE e.id = $2 AND e.token_id = auth.id)
), room AS MATERIALIZED (
  SELECT j.id, j.max_concurrent_runs
               - (SELECT count(*) FROM runs r WHERE r.job_id = j.id AND r.status = 'running') AS free
    FROM jobs j
   WHERE j.id = ANY (string_to_array(nullif(current_setting('svc.claim_jobs', true), ''), ',')::uuid[])
), near AS MATERIALIZED (
  (SELECT c.id, c.queued_at
     FROM scope CROSS JOIN unnest((SELECT $3::text[])) l (job_type) CROSS JOIN LATERAL (
       SELECT r.id, r.queued_at FROM runs r
        WHERE r.project_id = scope.id AND r.job_type = l.job_type AND r.status = 'queued' AND NOT r.limited
        ORDER BY r.queued_at, r.id LIMIT (SELECT $4::bigint) + 100) c
    ORDER BY c.queued_at, c.id LIMIT (SELECT $4::bigint) + 100)
  UNION ALL
  SELECT c.id, c.queued_at FROM room CROSS JOIN LATERAL (
    SELECT r.id, r.queued_at, r.project_id FROM runs r
     WHERE r.job_id = room.id AND r.status = 'queued' AND r.limited
     ORDER BY r.queued_at, r.id LIMIT greatest(0, least(room.free, (SELECT $4::bigint)))) c
   WHERE c.project_id IN (SELECT id FROM scope)
), taken AS MATERIALIZED (
  SELECT r.id, r.queued_at, r.project_id, r.parameters, r.tests
    FROM (SELECT id, queued_at FROM near ORDER BY queued_at, id LIMIT (SELECT $4::bigint) + 100) n
    JOIN runs r ON r.id = n.id AND r.status = 'queued'
   ORDER BY n.queued_at, n.id LIMIT (SELECT $4::bigint) FOR UPDATE OF r SKIP LOCKED
), given AS MATERIALIZED (
  SELECT v.project_id, sum(octet_length(v.key) + octet_length(v.sealed)) AS size
    FROM variables v WHERE v.project_id IN (SELECT project_id FROM taken) AND (SELECT count(*) FROM taken) > 1
   GROUP BY v.project_id
), beyond AS MATERIALIZED (
  SELECT id FROM (
    SELECT taken.id, row_number() OVER oldest > 1 AND
           sum(octet_length(taken.parameters::text) + scripts.size + coalesce(given.size, 0)) OVER oldest
             > (SELECT $6::bigint) AS is_beyond
      FROM taken LEFT JOIN given ON given.project_id = taken.project_id
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(octet_length(t.title) + octet_length(t.script)), 0) AS size
         FROM jsonb_array_elements(taken.tests) planned (of)
         JOIN tests t ON t.project_id = taken.project_id AND t.id = (planned.of ->> 'id')::uuid) scripts
     WHERE (SELECT count(*) FROM taken) > 1
    WINDOW oldest AS (ORDER BY taken.queued_at, taken.id)) sized
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
          .tests = std::string(r.text(at(9))),
          .queued_at = r.time(at(10))};
}

claim_batch read_batch(postgres::rows const& found, postgres::rows const& given, master_keys& master) {
  claim_batch out;
  out.more = found.front().boolean(2);
  for (int i = 0; i < found.size() && !found[i].is_null(4); ++i) out.runs.push_back(read_run(found[i], 4));
  for (int i = 0; i < given.size(); ++i) {
    auto const row = given[i];
    out.variables[row.id(0)].push_back(
        {std::string(row.text(2)), open_variable(master, row, 1, row.id(0)), row.boolean(3)});
  }
  return out;
}

}  // namespace

task<result<claim_batch>> executor_store::claim(sha256_digest secret, claim_request wanted, deadline until) {
  byte_view const digest(secret);
  std::vector<postgres::query> batch{
      {note_executor, postgres::parameters(digest, wanted.executor)},
      {lock_limited_jobs, postgres::parameters(digest, wanted.labels)},
      {claim_runs,
       postgres::parameters(digest, wanted.executor, wanted.labels, wanted.most, first_lease_.count(), most_bytes)},
      {variables_of_claimed}};
  // Nothing is claimed whose variables cannot be opened here: COMMIT comes behind that.
  postgres::unit_of_work work = co_await db_.begin(until);
  auto const done = settled(co_await work.run(std::move(batch)));
  postgres::rows const& found = done[2];
  if (auto const refused = executor_refusal(found.front())) co_return *refused;
  if (!found.front().boolean(1)) co_return errc::not_found;
  auto out = read_batch(found, done[3], master_);
  settled(co_await work.commit());
  co_return out;
}

}  // namespace svc::store
