#include "svc/store/runners/runner_store.hpp"

#include "store/runners/runner_sql.hpp"
#include "store/sql/attempts.hpp"
#include "store/sql/group_commit.hpp"
#include "store/sql/run_alerts_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/hash.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace svc::store {

namespace {

/// One reported result, as a row of a shared transaction. A value; copies share the report.
struct completion_row {
  sha256_digest secret;
  std::shared_ptr<run_completion const> notified;
  std::shared_ptr<stored_output const> whole;  ///< may be null

  uuid about() const { return notified->run; }
  std::size_t size() const {
    return notified->tests.size() + (notified->error_details ? notified->error_details->size() : 0) + output().size();
  }
  byte_view output() const { return whole ? byte_view(whole->content) : byte_view(); }
  bool silent() const { return whole && whole->silent(); }
};

/// Empty: another transaction is changing the run, so the caller must ask again.
using completion_verdict = std::optional<result<freed_run>>;

// Each array has one element per result; `place` assigns the result rows to them. Nothing that a client sends makes
// another client's row fail: each row is fenced by its own claim and its own token. Rows that another transaction
// holds are skipped, not waited for. What was told of the tests is stored as it was told: the history is not touched.
// The arrays are sub-selects for the same reason as in `run_trigger`.
constexpr auto complete_runs_sql = sql(R"(
WITH asked AS MATERIALIZED (
  SELECT run_id, claim_id, status, CASE WHEN details <> '' THEN substr(details, 2) END AS details, tests,
         decode(secret, 'hex') AS digest, silent OR content <> '' AS whole, content, size, lines, incomplete, silent,
         place
    FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[]), (SELECT $3::text[]), (SELECT $4::text[]),
                (SELECT $5::text[]), (SELECT $6::text[]), (SELECT $7::bytea[]), (SELECT $8::bigint[]),
                (SELECT $9::bigint[]), (SELECT $10::boolean[]), (SELECT $11::boolean[]))
         WITH ORDINALITY a (run_id, claim_id, status, details, tests, secret, content, size, lines, incomplete, silent,
                            place)
), held AS MATERIALIZED (
  SELECT q.run_id, a.place, p.organization_id
    FROM asked a
    JOIN runner_tokens auth ON auth.digest = a.digest AND auth.revoked_at IS NULL
   CROSS JOIN LATERAL (
     SELECT run_id, project_id FROM run_queue
      WHERE run_id = a.run_id AND claim_id = a.claim_id AND lease_until IS NOT NULL AND (attempt = 1 OR NOT a.whole)
      LIMIT 1 FOR UPDATE SKIP LOCKED) q
    JOIN projects p ON p.id = q.project_id AND)",
                                       is_in_scope, R"(
), removed AS (
  DELETE FROM run_queue q WHERE q.run_id = ANY (ARRAY(SELECT run_id FROM held))
  RETURNING q.run_id, q.project_id, q.job_id, q.job_type, q.trigger, q.limited, q.attempt, q.claim_id, q.runner_id,
            q.started_at, q.version
), gone AS MATERIALIZED (
  SELECT held.place, held.organization_id, removed.* FROM removed JOIN held USING (run_id)
), ended AS (
  INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, claim_id, runner_id, started_at,
                           completed_at, error_details, reported, version, silent)
  SELECT gone.run_id, gone.project_id, gone.job_id, gone.trigger, a.status, gone.attempt, gone.claim_id,
         gone.runner_id, gone.started_at, clock_timestamp(), a.details, a.tests::json, gone.version + 1,
         nullif(a.silent, false)
    FROM gone JOIN asked a USING (place)
  RETURNING run_id, job_id, status
), )",
                                       run_alerts_due("ended"), R"(, due AS (
  INSERT INTO run_output (run_id, project_id, content, size, lines, incomplete, stored_at)
  SELECT gone.run_id, gone.project_id, CASE WHEN a.whole THEN a.content END, CASE WHEN a.whole THEN a.size END,
         CASE WHEN a.whole THEN a.lines END, a.incomplete, CASE WHEN a.whole THEN clock_timestamp() END
    FROM gone JOIN asked a USING (place) WHERE NOT a.silent
  ON CONFLICT DO NOTHING
)
SELECT (SELECT CASE WHEN t.revoked_at IS NULL THEN 'live' ELSE 'revoked' END
          FROM runner_tokens t WHERE t.digest = a.digest),
       gone.run_id, gone.attempt, a.status, gone.organization_id, gone.project_id, gone.job_type, gone.limited,
       gone.job_id,
       CASE WHEN a.whole AND gone.run_id IS NULL THEN EXISTS (
         SELECT FROM run_queue q WHERE q.run_id = a.run_id AND q.claim_id = a.claim_id AND q.attempt > 1) END
  FROM asked a LEFT JOIN gone USING (place)
 ORDER BY a.place)");
constexpr postgres::statement complete_runs{"runner_complete", complete_runs_sql};

postgres::parameters columns_of(std::vector<completion_row> const& rows) {
  auto const text = [&](auto&& value) { return postgres::column<std::string>(rows, value); };
  using row = completion_row const&;
  auto out = postgres::parameters(
      postgres::column<uuid>(rows, [](row r) { return r.notified->run; }),
      postgres::column<uuid>(rows, [](row r) { return r.notified->claim; }),
      text([](row r) { return r.notified->status; }),
      // `column` cannot write NULL into an array of texts, so "=" marks a text that is present, even if it is empty.
      text([](row r) { return r.notified->error_details ? "=" + *r.notified->error_details : std::string(); }),
      text([](row r) { return r.notified->tests; }), text([](row r) { return to_hex(byte_view(r.secret)); }));
  auto const number = [&](auto source) {
    out.add_array(rows, [source](row r) { return r.whole ? std::int64_t{source(*r.whole)} : 0; });
  };
  out.add_array(rows, [](row r) { return r.output(); });
  number([](stored_output const& o) { return o.size; });
  number([](stored_output const& o) { return o.lines; });
  out.add_array(rows, [](row r) { return r.whole && r.whole->incomplete; });
  out.add_array(rows, [](row r) { return r.silent(); });
  return out;
}

/// The runner was not offered to tell the output with the result.
constexpr char const* later_attempt = "The output of a later attempt must be sent before its result.";

/// Writes all rows in one transaction and one round trip; returns a verdict for each, in order. No two rows may
/// belong to the same run. Does not wait for locked rows, so it cannot take part in a deadlock.
task<postgres::outcome<std::vector<completion_verdict>>> run_completions(postgres::pool& db,
                                                                         std::vector<completion_row> rows,
                                                                         deadline until) {
  postgres::query ask{complete_runs, columns_of(rows)};
  auto const done = co_await db.run(std::move(ask), until);
  if (!done) co_return done.error();
  std::vector<completion_verdict> out;
  std::vector<freeing> others;
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const found = (*done)[static_cast<int>(i)];
    out.push_back(read_freed(found));
    if (!out.back() && !found.is_null(9) && found.boolean(9))
      out.back() = error(errc::validation_failed, later_attempt, {{"/wholeOutput", later_attempt}});
    if (out.back()) continue;
    others.push_back({rows[i].secret, rows[i].notified->run, rows[i].notified->claim, rows[i].notified->status});
    indexes.push_back(i);
  }
  if (others.empty()) co_return out;
  auto verdicts = co_await unfreed(db, std::move(others), until);
  for (std::size_t i = 0; i < indexes.size(); ++i) out[indexes[i]] = std::move(verdicts[i]);
  co_return out;
}

constexpr postgres::statement authenticate_runner{"runner_authenticate", R"(
SELECT CASE WHEN revoked_at IS NULL THEN 'live' ELSE 'revoked' END, id, organization_id, project_id
  FROM runner_tokens WHERE digest = $1)"};

// A token keeps a thousand names, and those that hold runs: a new name makes room, two rows at a time, so that more
// names from before the bound go too.
constexpr auto enroll_runner_sql = sql("WITH ", runner_auth, R"(, surplus AS (
  DELETE FROM runners r WHERE r.id = ANY (ARRAY(
    SELECT o.id FROM runners o
     WHERE o.token_id = (SELECT id FROM auth) AND o.name <> $3
       AND (SELECT count(*) FROM runners c WHERE c.token_id = (SELECT id FROM auth)) >= 1000
       AND NOT EXISTS (SELECT FROM runners c WHERE c.token_id = (SELECT id FROM auth) AND c.name = $3)
       AND NOT EXISTS (SELECT FROM run_queue q WHERE q.runner_id = o.id)
     ORDER BY o.last_seen_at LIMIT (SELECT CASE WHEN count(*) > 1000 THEN 2 ELSE 1 END FROM runners c
                                     WHERE c.token_id = (SELECT id FROM auth))
       FOR UPDATE SKIP LOCKED))
), made AS (
  INSERT INTO runners (id, token_id, name, version, labels, slots)
  SELECT $2, auth.id, $3, $4, $5, $6 FROM auth
  ON CONFLICT (token_id, name) DO UPDATE
     SET version = excluded.version, labels = excluded.labels, slots = excluded.slots,
         registered_at = clock_timestamp(), last_seen_at = clock_timestamp()
  RETURNING id
)
SELECT)",
                                       runner_token_state, ", (SELECT id FROM made)");
constexpr postgres::statement enroll_runner{"runner_enroll", enroll_runner_sql};

constexpr postgres::statement changed_runs{"runner_changed_runs", R"(
SELECT a.run_id FROM unnest((SELECT $1::uuid[])) a (run_id) LEFT JOIN LATERAL (
  SELECT status, cancel_requested_at FROM run_queue WHERE run_id = a.run_id LIMIT 1) q ON true
 WHERE q.status IS DISTINCT FROM 'running' OR q.cancel_requested_at IS NOT NULL)"};

}  // namespace

/// The transactions that requests of one worker's runners share.
struct runner_store::shared {
  explicit shared(postgres::pool& db)
      : completions(std::make_shared<group_commit<completion_row, completion_verdict>>(db, &run_completions)) {}

  std::shared_ptr<group_commit<completion_row, completion_verdict>> completions;
};

std::optional<errc> runner_refusal(postgres::row r) {
  if (r.is_null(0)) return errc::invalid_token;
  return r.text(0) == "live" ? std::nullopt : std::optional(errc::token_revoked);
}

runner_store::runner_store(postgres::pool& db, master_keys& master, std::chrono::seconds lease,
                           std::chrono::seconds first_lease, std::int64_t max_per_project)
    : db_(db),
      master_(master),
      lease_(lease),
      first_lease_(first_lease.count() > 0 ? std::min(lease, first_lease) : lease),
      max_per_project_(max_per_project),
      shared_(std::make_unique<shared>(db)) {}

runner_store::~runner_store() = default;

task<result<svc::runner_scope>> runner_store::authenticate(sha256_digest secret, deadline until) {
  postgres::query ask{authenticate_runner, postgres::parameters(byte_view(secret))};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return errc::invalid_token;
  auto const row = found.front();
  if (auto const refused = runner_refusal(row)) co_return *refused;
  co_return svc::runner_scope{row.id(1), row.id(2), row.maybe_id(3)};
}

task<result<uuid>> runner_store::enroll(sha256_digest secret, runner_registration registration, deadline until) {
  postgres::query ask{enroll_runner,
                      postgres::parameters(byte_view(secret), uuid::generate_v7(), registration.name,
                                           registration.version, registration.labels, registration.slots)};
  postgres::rows const made = settled(co_await db_.run(std::move(ask), until));
  if (auto const refused = runner_refusal(made.front())) co_return *refused;
  co_return made.front().id(1);
}

task<std::vector<uuid>> runner_store::changed(std::vector<uuid> runs, deadline until) {
  postgres::query ask{changed_runs, postgres::parameters(runs)};
  co_return read_ids(settled(co_await db_.run(std::move(ask), until)));
}

task<result<freed_run>> runner_store::complete(sha256_digest secret, run_completion completion, deadline until,
                                               std::optional<stored_output> whole) {
  auto const group = shared_->completions;
  completion_row row{secret, std::make_shared<run_completion const>(std::move(completion)), nullptr};
  if (whole) row.whole = std::make_shared<stored_output const>(std::move(*whole));
  attempts again(co_await asio::this_coro::executor, until, milliseconds{0});
  do {
    auto done = co_await group->commit(row, until);
    SVC_FAILPOINT("complete.after_commit");
    if (done) co_return std::move(*done);
  } while (co_await again.next());
  throw unavailable("another transaction holds the run");
}

}  // namespace svc::store
