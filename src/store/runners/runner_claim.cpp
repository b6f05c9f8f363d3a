#include "store/runners/runner_sql.hpp"
#include "store/sealing/project_key.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/log.hpp"
#include "svc/core/turns.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runners/runner_store.hpp"

#include <set>

namespace svc::store {

namespace {

/// The time at which a runner was last seen is written no more often than this, as `seen_before` says.
constexpr std::chrono::seconds noted_again{10};
constexpr std::size_t most_noted = 10'000;

constexpr auto note_runner_sql = sql(R"(
UPDATE runners e SET last_seen_at = clock_timestamp() FROM runner_tokens t
 WHERE e.id = $2 AND t.id = e.token_id AND t.digest = $1 AND t.revoked_at IS NULL AND e.)",
                                     seen_before);
constexpr postgres::statement note_runner{"runner_seen", note_runner_sql};

// A claim of runs of a limited job holds the job's lock until COMMIT. So only one claim at a time counts the job's
// running runs and adds to them. Claims never wait for a lock: they skip the jobs that another claim holds. A
// separate statement takes the locks, because the snapshot of the next one must be newer than the locks. If a project
// may hold only part of a shared runner, the runner's claims exclude each other. They do not wait for that lock
// either.
//
// A lock of a transaction lives in memory that all of PostgreSQL shares and that never grows. So a claim locks only
// about 100 jobs more than it wants runs, and not each job with a queued run. It takes the job of each project that
// has waited longest, then the second of each project, and so on. Jobs without a free slot are left out. The locks
// decide; this count of running runs only selects the jobs to lock.
//
// Entries of runs that have left an index stay in the index until vacuum. An index scan marks such entries, and the
// next scan skips them. Bitmap scans do not mark entries, and read all of them each time.
constexpr auto lock_limited_jobs_sql =
    sql("WITH ", runner_auth, R"(
SELECT set_config('svc.claim_jobs', coalesce((
  SELECT string_agg(waits.id::text, ',') FROM (
    SELECT open.id, row_number() OVER (PARTITION BY open.project_id ORDER BY open.since, open.id) AS nth, open.since FROM (
      SELECT j.id, j.project_id, j.max_concurrent_runs, (
               SELECT q.queued_at FROM run_queue q
                WHERE q.project_id = j.project_id AND q.job_id = j.id AND q.status = 'queued' AND q.limited
                ORDER BY q.queued_at, q.run_id LIMIT 1) AS since
        FROM auth, projects p JOIN jobs j ON j.project_id = p.id AND j.max_concurrent_runs IS NOT NULL
       WHERE)",
        is_in_scope, R"(AND p.archived_at IS NULL AND j.job_type = ANY ((SELECT $2::text[])::text[])
      OFFSET 0) open
     WHERE open.since IS NOT NULL AND open.max_concurrent_runs > (
       SELECT count(*) FROM run_queue q
        WHERE q.project_id = open.project_id AND q.job_id = open.id AND q.status = 'running')
     ORDER BY nth, open.since, open.id LIMIT (SELECT $5::bigint) + 100) waits
   WHERE pg_try_advisory_xact_lock(hashtextextended('claim ' || waits.id, 0))), ''), true),
  set_config('svc.claim_alone', (SELECT CASE WHEN $4::bigint = 0 OR project_id IS NOT NULL THEN true
    ELSE pg_try_advisory_xact_lock(hashtextextended('slots ' || $3::uuid, 0)) END FROM auth)::text, true),
  set_config('enable_bitmapscan', 'off', true))");
constexpr postgres::statement lock_limited_jobs{"runner_lock_jobs", lock_limited_jobs_sql};

consteval auto claim_id_of(auto const& run) {
  return sql(" overlay(", run, "::text PLACING (SELECT $9::text) FROM 1 FOR 18)::uuid ");
}

// Each slot goes to the project that holds the fewest slots of this runner; among equals, to the project whose last
// claim by any runner is the longest ago; within a project, to the oldest run.
//
// `turn` has the projects in that order, as many as can be needed; for a project with nothing queued, one index entry
// is read. Candidates are read without a lock from both queues (limited and unlimited jobs). About 100 more than
// wanted are read, because the claim skips candidates that another claim is taking. First each project gets the
// candidates of an equal share (`shares`, up to the `level` of slots that each would then hold). Only if these are
// too few, projects with longer queues get more. A limited job has no more candidates than it may start runs. The
// history is read by id, and only for the runs that are taken.
//
// Rows of the queue are addressed such that the planner can only use the primary key (`runner_sql.hpp`). `locked` has
// no ORDER BY of its own, because a sort would lock all candidates before the LIMIT. Its join processes the
// candidates in their order.
//
// Parameters that are used as counts are in sub-selects, so that the planner cannot see their values. Otherwise a
// custom plan always looks cheaper than the generic one, and planning costs each claim twice as much as executing it.
//
// `claimed` and `changed` agree on each run, because `locked` has locked it. $9 is the head of the claim ids. Their
// tails are the tails of the runs' ids, so that `claimed` and `changed` can both compute a run's claim id.
//
// $7 limits the slots of this runner that a project may hold if projects share the runner. A response has at most $6
// bytes of parameters, scripts and variables, or only the first run. The other runs of `taken` stay queued; COMMIT
// releases their locks. Lengths are read without the values. With $8 the response has the versions of scripts instead
// of the scripts.
constexpr auto claim_runs_sql =
    sql("WITH ", runner_auth, R"(, scope AS MATERIALIZED (
  SELECT p.id, CASE WHEN auth.project_id IS NULL THEN nullif((SELECT $7::bigint), 0) END AS bound
    FROM auth, projects p WHERE)",
        is_in_scope, R"(AND p.archived_at IS NULL
     AND EXISTS (SELECT FROM runners e WHERE e.id = $2 AND e.token_id = auth.id)
), held AS MATERIALIZED (
  SELECT q.project_id, count(*) AS runs FROM run_queue q WHERE q.runner_id = $2 AND q.lease_until IS NOT NULL
   GROUP BY q.project_id
), room AS MATERIALIZED (
  SELECT j.id, j.project_id, j.max_concurrent_runs
               - (SELECT count(*) FROM run_queue q
                   WHERE q.project_id = j.project_id AND q.job_id = j.id AND q.status = 'running') AS free
    FROM jobs j
   WHERE j.id = ANY (string_to_array(nullif(current_setting('svc.claim_jobs', true), ''), ',')::uuid[])
), turn AS MATERIALIZED (
  SELECT waits.id, coalesce(held.runs, 0) AS held, waits.bound - coalesce(held.runs, 0) AS open,
         (SELECT c.claimed_at FROM project_claims c WHERE c.project_id = waits.id) AS lately
    FROM (
      SELECT scope.id, scope.bound, (
        SELECT min(head.queued_at) FROM unnest((SELECT $3::text[])) l (job_type) CROSS JOIN LATERAL (
          SELECT q.queued_at FROM run_queue q
           WHERE q.project_id = scope.id AND q.job_type = l.job_type AND q.status = 'queued' AND NOT q.limited
           ORDER BY q.queued_at, q.run_id LIMIT 1) head) AS since
        FROM scope OFFSET 0) waits
    LEFT JOIN held ON held.project_id = waits.id
   WHERE (waits.since IS NOT NULL OR waits.id IN (SELECT project_id FROM room WHERE free > 0))
     AND (waits.bound IS NULL OR waits.bound > coalesce(held.runs, 0))
     AND current_setting('svc.claim_alone', true) = 'true'
   ORDER BY 2, 4 NULLS FIRST, waits.since, waits.id LIMIT (SELECT $4::bigint) + 100
), level AS MATERIALIZED (
  SELECT min(ceil(((SELECT $4::bigint) + 100 + below) / projects))::bigint AS slots FROM (
    SELECT sum(held) OVER fewest AS below, row_number() OVER fewest AS projects
      FROM turn WINDOW fewest AS (ORDER BY held, id)) filled
), shares AS MATERIALIZED (
  SELECT c.run_id, c.queued_at, turn.id AS project_id, turn.held, l.job_type
    FROM turn CROSS JOIN unnest((SELECT $3::text[])) l (job_type) CROSS JOIN LATERAL (
      SELECT q.run_id, q.queued_at FROM run_queue q
       WHERE q.project_id = turn.id AND q.job_type = l.job_type AND q.status = 'queued' AND NOT q.limited
       ORDER BY q.queued_at, q.run_id LIMIT greatest(0, (SELECT slots FROM level) - turn.held)) c
), near AS MATERIALIZED (
  SELECT run_id, queued_at, project_id FROM shares
  UNION ALL
  SELECT c.run_id, c.queued_at, deep.project_id FROM (
    SELECT project_id, job_type, count(*) AS found FROM shares
     WHERE (SELECT count(*) FROM shares) < (SELECT $4::bigint) + 100
     GROUP BY project_id, job_type, held HAVING count(*) = (SELECT slots FROM level) - held) deep
   CROSS JOIN LATERAL (
     SELECT q.run_id, q.queued_at FROM run_queue q
      WHERE q.project_id = deep.project_id AND q.job_type = deep.job_type AND q.status = 'queued' AND NOT q.limited
      ORDER BY q.queued_at, q.run_id LIMIT (SELECT $4::bigint) + 100 OFFSET deep.found) c
  UNION ALL
  SELECT c.run_id, c.queued_at, room.project_id FROM room CROSS JOIN LATERAL (
    SELECT q.run_id, q.queued_at FROM run_queue q
     WHERE q.project_id = room.project_id AND q.job_id = room.id AND q.status = 'queued' AND q.limited
     ORDER BY q.queued_at, q.run_id LIMIT greatest(0, least(room.free, (SELECT $4::bigint)))) c
   WHERE room.project_id IN (SELECT id FROM turn)
), ranked AS (
  SELECT near.run_id, near.queued_at, turn.open, turn.lately,
         turn.held + row_number() OVER (PARTITION BY near.project_id ORDER BY near.queued_at, near.run_id) AS place
    FROM near JOIN turn ON turn.id = near.project_id
), locked AS MATERIALIZED (
  SELECT q.*, n.place, n.lately, n.open
    FROM (SELECT * FROM ranked ORDER BY place, lately NULLS FIRST, queued_at, run_id
           LIMIT (SELECT $4::bigint) + 100) n
   CROSS JOIN LATERAL (SELECT run_id, queued_at, project_id, job_id, job_type, timeout_seconds, attempt FROM run_queue
                        WHERE run_id = n.run_id AND claim_id IS NULL LIMIT 1 FOR UPDATE SKIP LOCKED) q
   LIMIT (SELECT $4::bigint)
), taken AS MATERIALIZED (
  SELECT one.*, h.job_name, h.parameters, h.tests, h.trace_parent
    FROM (SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY queued_at, run_id) AS nth FROM locked) one
   CROSS JOIN LATERAL (
     SELECT r.job_name, r.parameters, r.tests, r.trace_parent FROM run_history r WHERE r.id = one.run_id LIMIT 1) h
   WHERE one.open IS NULL OR one.nth <= one.open
), given AS MATERIALIZED (
  SELECT v.project_id, sum(octet_length(v.key) + octet_length(v.sealed)) AS size
    FROM variables v WHERE v.project_id IN (SELECT project_id FROM taken) AND (SELECT count(*) FROM taken) > 1
   GROUP BY v.project_id
), beyond AS MATERIALIZED (
  SELECT run_id FROM (
    SELECT taken.run_id, row_number() OVER first > 1 AND
           sum(octet_length(taken.parameters::text) + scripts.size + coalesce(given.size, 0)) OVER first
             > (SELECT $6::bigint) AS is_beyond
      FROM taken LEFT JOIN given ON given.project_id = taken.project_id
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(octet_length(t.title) + octet_length(t.script)), 0) AS size
         FROM jsonb_array_elements(taken.tests) planned (of)
        CROSS JOIN LATERAL (SELECT title, script FROM tests
                             WHERE project_id = taken.project_id AND id = (planned.of ->> 'id')::uuid LIMIT 1) t
        WHERE NOT (SELECT $8::boolean)) scripts
     WHERE (SELECT count(*) FROM taken) > 1
    WINDOW first AS (ORDER BY taken.place, taken.lately NULLS FIRST, taken.queued_at, taken.run_id)) sized
   WHERE is_beyond
), claimed AS MATERIALIZED (
  SELECT *,)",
        claim_id_of("run_id"),
        R"(AS claim_id FROM taken WHERE NOT EXISTS (SELECT FROM beyond WHERE beyond.run_id = taken.run_id)
), changed AS (
  UPDATE run_queue q SET status = 'running', claim_id =)",
        claim_id_of("q.run_id"), R"(, attempt = q.attempt + 1, runner_id = $2,
         lease_until = clock_timestamp() + make_interval(secs => $5), started_at = clock_timestamp(),
         version = q.version + 1, updated_at = clock_timestamp()
   WHERE q.run_id = ANY (ARRAY(SELECT run_id FROM claimed))
), noted AS (
  UPDATE project_claims SET claimed_at = clock_timestamp() WHERE ctid = ANY (ARRAY(
    SELECT free.ctid FROM (SELECT DISTINCT project_id FROM claimed) one CROSS JOIN LATERAL (
      SELECT c.ctid FROM project_claims c WHERE c.project_id = one.project_id FOR NO KEY UPDATE SKIP LOCKED) free))
)
SELECT)",
        runner_token_state, R"(, (SELECT count(*) FROM scope) > 0 OR EXISTS (
         SELECT FROM auth JOIN runners e ON e.token_id = auth.id AND e.id = $2),
       (SELECT count(*) FROM near) > (SELECT count(*) FROM claimed),
       (SELECT set_config('svc.claimed_in', (SELECT string_agg(DISTINCT project_id::text, ',') FROM claimed), true)),
       c.run_id, c.claim_id, c.attempt + 1, c.project_id, c.job_id, c.job_name, c.job_type, c.timeout_seconds, c.parameters,
       coalesce((SELECT json_agg(CASE WHEN (SELECT $8::boolean)
                   THEN json_build_object('id', t.id, 'title', t.title, 'type', t.type, 'version',)",
        script_version, R"()
                   ELSE json_build_object('id', t.id, 'title', t.title, 'type', t.type, 'script', t.script) END
                                 ORDER BY planned.place)
                   FROM jsonb_array_elements(c.tests) WITH ORDINALITY planned (of, place)
                  CROSS JOIN LATERAL (SELECT id, title, type, version, updated_at, script FROM tests
                     WHERE project_id = c.project_id AND id = (planned.of ->> 'id')::uuid LIMIT 1) t), '[]'),
       c.queued_at, c.trace_parent
  FROM (VALUES (1)) one LEFT JOIN claimed c ON true
 ORDER BY c.queued_at, c.run_id)");
constexpr postgres::statement claim_runs{"runner_claim", claim_runs_sql};

constexpr auto variables_of_claimed_sql = sql("SELECT v.project_id,", variable_columns, variable_tables, R"(
 WHERE v.project_id = ANY (string_to_array(nullif(current_setting('svc.claimed_in', true), ''), ',')::uuid[])
 ORDER BY v.project_id, v.key)");
constexpr postgres::statement variables_of_claimed{"runner_variables", variables_of_claimed_sql};

// Restores the state before the claim, because no runner has seen this attempt. The reaper handles a run that is to
// be cancelled.
constexpr postgres::statement unclaim_runs{"runner_unclaim", R"(
UPDATE run_queue q SET status = 'queued', attempt = q.attempt - 1, claim_id = NULL, runner_id = NULL,
       lease_until = NULL, started_at = NULL, version = q.version + 1, updated_at = clock_timestamp()
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[])) a (run_id, claim_id)
 WHERE q.run_id = ANY ((SELECT $1::uuid[])::uuid[]) AND q.run_id = a.run_id AND q.claim_id = a.claim_id
   AND q.lease_until IS NOT NULL AND q.cancel_requested_at IS NULL)"};

constexpr int first_of_run = 4, column_of_tests = first_of_run + 9;

claimed_run read_run(postgres::row r, int first) {
  auto const entry = [first](int column) { return first + column; };
  return {.run = r.id(entry(0)),
          .claim = r.id(entry(1)),
          .attempt = r.integer(entry(2)),
          .project = r.id(entry(3)),
          .job = r.maybe_id(entry(4)),
          .job_name = r.maybe_text(entry(5)),
          .job_type = std::string(r.text(entry(6))),
          .timeout_seconds = r.integer(entry(7)),
          .parameters = std::string(r.text(entry(8))),
          .queued_at = r.time(entry(10)),
          .trace_parent = r.maybe_text(entry(11))};
}

/// Returns 60 random bits, written as the head of a UUIDv4.
std::string new_claim_head() {
  std::string random = uuid::generate_v7().to_string().substr(20);  // the part after the variant
  std::erase(random, '-');
  return random.substr(0, 8) + "-" + random.substr(8, 4) + "-4" + random.substr(12, 3);
}

/// Reads everything except each run's tests, which contain the scripts, and the variables.
claim_batch read_batch(postgres::rows const& found) {
  claim_batch out;
  out.more = found.front().boolean(2);
  for (int i = 0; i < found.size() && !found[i].is_null(first_of_run); ++i)
    out.runs.push_back(read_run(found[i], first_of_run));
  return out;
}

/// Opens the variables of each project. Returns the projects with a variable that cannot be opened.
std::set<uuid> open_variables(claim_batch& out, postgres::rows const& given, master_keys& master) {
  std::set<uuid> sealed;
  for (int i = 0; i < given.size(); ++i) {
    auto const row = given[i];
    uuid const project = row.id(0);
    if (sealed.contains(project)) continue;
    try {
      out.variables[project].push_back(
          {std::string(row.text(2)), open_variable(master, row, 1, project), row.boolean(3)});
    } catch (unavailable const& unavailable) {
      log::error("runs cannot be claimed, because their variables cannot be decrypted",
                 {{"project", project.to_string()}, {"reason", unavailable.what()}});
      sealed.insert(project);
    }
  }
  return sealed;
}

/// Restores the state of these runs before the claim.
task<> unclaim(postgres::pool& db, std::vector<claim_name> const& claims, deadline until) {
  std::vector<uuid> runs, ids;
  for (auto const& name : claims) {
    runs.push_back(name.run);
    ids.push_back(name.claim);
  }
  postgres::query ask{unclaim_runs, postgres::parameters(runs, ids)};
  settled(co_await db.run(std::move(ask), until));
}

/// Takes the runs of these projects out of the claim. If this fails, their leases end. Throws `unavailable` if
/// nothing else was claimed.
task<> give_back(postgres::pool& db, claim_batch& out, std::set<uuid> ids, deadline until) {
  std::vector<claim_name> sealed;
  for (auto const& run : out.runs)
    if (ids.contains(run.project)) sealed.push_back({run.run, run.claim});
  std::erase_if(out.runs, [&](claimed_run const& entry) { return ids.contains(entry.project); });
  for (auto const& project : ids) out.variables.erase(project);
  co_await unclaim(db, sealed, until);
  if (out.runs.empty()) throw unavailable("the variables of no claimed run could be decrypted");
}

/// Copies each run's tests: libpq has just copied large texts, and this copies them again.
task<> copy_tests(claim_batch& out, postgres::rows found) {
  auto const whole = std::make_shared<postgres::rows>(std::move(found));
  for (int i = 0; auto& run : out.runs) {
    auto const tests = (*whole)[i++].text(column_of_tests);
    if (tests.size() > piece_of_turn) co_await others_turn();
    run.tests = co_await copy_in_turns(whole, tests);
  }
}

}  // namespace

bool runner_store::to_note(uuid runner) const {
  auto const seen = noted_.find(runner);
  return seen == noted_.end() || steady::now() - seen->second >= noted_again;
}

task<result<claim_batch>> runner_store::claim(sha256_digest secret, claim_request wanted, deadline until) {
  byte_view const digest(secret);
  // These statements take one round trip. The variables can be opened only after COMMIT, but then no runner has seen
  // the claim yet.
  std::vector<postgres::query> batch{
      {lock_limited_jobs, postgres::parameters(digest, wanted.labels, wanted.runner, max_per_project_, wanted.most)},
      {claim_runs, postgres::parameters(digest, wanted.runner, wanted.labels, wanted.most, first_lease_.count(),
                                        most_bytes_given, max_per_project_, wanted.scripts_apart, new_claim_head())},
      {variables_of_claimed}};
  bool const noting = to_note(wanted.runner);
  if (noting) batch.push_back({note_runner, postgres::parameters(digest, wanted.runner)});
  auto const done = settled(co_await db_.run(std::move(batch), until));
  postgres::rows const& found = done[1];
  if (auto const refused = runner_refusal(found.front())) co_return *refused;
  if (!found.front().boolean(1)) co_return errc::not_found;
  if (noting) {
    if (noted_.size() >= most_noted) noted_.clear();
    noted_.insert_or_assign(wanted.runner, steady::now());
  }
  auto out = read_batch(found);
  co_await copy_tests(out, found);
  auto sealed = open_variables(out, done[2], master_);
  if (!sealed.empty()) co_await give_back(db_, out, std::move(sealed), until);
  co_return out;
}

task<> runner_store::unclaim(std::vector<claim_name> claims, deadline until) {
  co_await store::unclaim(db_, claims, until);
}

}  // namespace svc::store
