#include "svc/store/runner_store.hpp"

#include "store/runners/runner_sql.hpp"
#include "store/sql/attempts.hpp"
#include "store/sql/group_commit.hpp"
#include "store/sql/settled.hpp"
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
  std::shared_ptr<run_completion const> told;

  uuid run() const { return told->run; }
  std::size_t size() const { return told->tests.size() + (told->error_details ? told->error_details->size() : 0); }
};

/// Empty: another transaction is changing the run, so the caller must ask again.
using completion_verdict = std::optional<result<freed_run>>;

// Each array has one element per result; `place` assigns the result rows to them. Nothing that a client sends makes
// another client's row fail: each row is fenced by its own claim and its own token. Rows that another transaction
// holds are skipped, not waited for; the result row then says whether their claim holds. Each test gets the status
// that was reported for it; a test that was not reached does not stay queued. The arrays are sub-selects for the same
// reason as in `run_trigger`.
constexpr postgres::statement complete_runs{"executor_complete", R"(
WITH asked AS MATERIALIZED (
  SELECT run_id, claim_id, status, CASE WHEN details <> '' THEN substr(details, 2) END AS details, tests,
         decode(secret, 'hex') AS digest, place
    FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[]), (SELECT $3::text[]), (SELECT $4::text[]),
                (SELECT $5::text[]), (SELECT $6::text[]))
         WITH ORDINALITY a (run_id, claim_id, status, details, tests, secret, place)
), held AS MATERIALIZED (
  SELECT r.id, a.place, auth.organization_id
    FROM asked a
    JOIN executor_tokens auth ON auth.digest = a.digest AND auth.revoked_at IS NULL
    JOIN runs r ON r.id = a.run_id AND r.claim_id = a.claim_id AND r.status = 'running'
    JOIN projects p ON p.id = r.project_id AND)" SVC_IN_SCOPE R"(
   ORDER BY r.id FOR NO KEY UPDATE OF r SKIP LOCKED
), freed AS (
  UPDATE runs r SET status = a.status, completed_at = clock_timestamp(), lease_until = NULL, error_details = a.details,
         tests = (SELECT coalesce(jsonb_agg(planned.of || coalesce(told.of,
                             jsonb_build_object('status', CASE a.status WHEN 'cancelled' THEN a.status ELSE 'skipped' END))
                                  ORDER BY planned.place), '[]')
                    FROM jsonb_array_elements(r.tests) WITH ORDINALITY planned (of, place)
                    LEFT JOIN LATERAL (SELECT t FROM jsonb_array_elements(a.tests::jsonb) t
                                        WHERE t ->> 'id' = planned.of ->> 'id' LIMIT 1) told (of) ON true),
         version = r.version + 1, updated_at = clock_timestamp()
    FROM held JOIN asked a ON a.place = held.place
   WHERE r.id = held.id
  RETURNING a.place, r.id, r.attempt, r.status, held.organization_id, r.project_id, r.job_type, r.limited
), due AS (
  INSERT INTO run_output (run_id) SELECT id FROM freed ON CONFLICT DO NOTHING
)
SELECT (SELECT CASE WHEN t.revoked_at IS NULL THEN 'live' ELSE 'revoked' END
          FROM executor_tokens t WHERE t.digest = a.digest),
       freed.id, freed.attempt, freed.status, freed.organization_id, freed.project_id, freed.job_type, freed.limited,
       freed.id IS NULL AND
       EXISTS (SELECT FROM runs r WHERE r.id = a.run_id AND r.claim_id = a.claim_id AND r.completed_at IS NOT NULL
                  AND r.status = a.status),
       freed.id IS NULL AND
       EXISTS (SELECT FROM executor_tokens auth JOIN runs r ON r.id = a.run_id AND r.claim_id = a.claim_id
                  JOIN projects p ON p.id = r.project_id
                WHERE auth.digest = a.digest AND r.status = 'running' AND)" SVC_IN_SCOPE R"()
  FROM asked a LEFT JOIN freed ON freed.place = a.place
 ORDER BY a.place)"};

postgres::parameters columns_of(std::vector<completion_row> const& rows) {
  auto const text = [&](auto&& of) { return postgres::column<std::string>(rows, of); };
  using row = completion_row const&;
  return postgres::parameters(
      postgres::column<uuid>(rows, [](row r) { return r.told->run; }),
      postgres::column<uuid>(rows, [](row r) { return r.told->claim; }), text([](row r) { return r.told->status; }),
      // `column` cannot write NULL into an array of texts, so "=" marks a text that is present, even if it is empty.
      text([](row r) { return r.told->error_details ? "=" + *r.told->error_details : std::string(); }),
      text([](row r) { return r.told->tests; }), text([](row r) { return to_hex(byte_view(r.secret)); }));
}

/// Writes all rows in one transaction and one round trip; returns a verdict for each, in order. No two rows may
/// belong to the same run. Does not wait for locked rows, so it cannot take part in a deadlock.
task<postgres::outcome<std::vector<completion_verdict>>> run_completions(postgres::pool& db,
                                                                         std::vector<completion_row> rows,
                                                                         deadline until) {
  postgres::query ask{complete_runs, columns_of(rows)};
  auto const done = co_await db.run(std::move(ask), until);
  if (!done) co_return done.error();
  std::vector<completion_verdict> out;
  out.reserve(rows.size());
  for (int i = 0; i < done->size(); ++i) out.push_back(read_freed((*done)[i]));
  co_return out;
}

constexpr postgres::statement authenticate_runner{"executor_authenticate", R"(
SELECT CASE WHEN revoked_at IS NULL THEN 'live' ELSE 'revoked' END, id, organization_id, project_id
  FROM executor_tokens WHERE digest = $1)"};

constexpr postgres::statement enroll_runner{"executor_enroll", "WITH " SVC_RUNNER_AUTH R"(, made AS (
  INSERT INTO executors (id, token_id, name, version, labels, slots)
  SELECT $2, auth.id, $3, $4, $5, $6 FROM auth
  ON CONFLICT (token_id, name) DO UPDATE
     SET version = excluded.version, labels = excluded.labels, slots = excluded.slots,
         registered_at = clock_timestamp(), last_seen_at = clock_timestamp()
  RETURNING id
)
SELECT)" SVC_TOKEN_STATE ", (SELECT id FROM made)"};

constexpr postgres::statement extend_lease{"executor_extend_lease", "WITH " SVC_RUNNER_AUTH R"(, kept AS (
  UPDATE runs r SET lease_until = clock_timestamp() + make_interval(secs => $4)
    FROM auth, projects p WHERE)" SVC_FENCED R"(
  RETURNING r.attempt, r.cancel_requested_at IS NOT NULL AS cancel, r.project_id
)
SELECT)" SVC_TOKEN_STATE ", kept.attempt, kept.cancel, kept.project_id FROM (VALUES (1)) one LEFT JOIN kept ON true"};

constexpr postgres::statement look_at_claim{"executor_look", "WITH " SVC_RUNNER_AUTH R"(, kept AS (
  SELECT r.attempt, r.cancel_requested_at IS NOT NULL AS cancel, r.project_id
    FROM auth, projects p, runs r WHERE)" SVC_FENCED R"(
)
SELECT)" SVC_TOKEN_STATE ", kept.attempt, kept.cancel, kept.project_id FROM (VALUES (1)) one LEFT JOIN kept ON true"};

constexpr postgres::statement changed_runs{"executor_changed_runs", R"(
SELECT id FROM runs WHERE id = ANY ($1) AND (status <> 'running' OR cancel_requested_at IS NOT NULL))"};

result<held_claim> read_claim(postgres::rows const& found) {
  if (auto const refused = runner_refusal(found.front())) return *refused;
  if (found.front().is_null(1)) return errc::claim_lost;
  return held_claim{found.front().integer(1), found.front().boolean(2), found.front().id(3)};
}

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

task<result<runner_scope>> runner_store::authenticate(sha256_digest secret, deadline until) {
  postgres::query ask{authenticate_runner, postgres::parameters(byte_view(secret))};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return errc::invalid_token;
  auto const row = found.front();
  if (auto const refused = runner_refusal(row)) co_return *refused;
  co_return runner_scope{row.id(1), row.id(2), row.maybe_id(3)};
}

task<result<uuid>> runner_store::enroll(sha256_digest secret, runner_registration what, deadline until) {
  postgres::query ask{enroll_runner, postgres::parameters(byte_view(secret), uuid::generate_v7(), what.name,
                                                          what.version, what.labels, what.slots)};
  postgres::rows const made = settled(co_await db_.run(std::move(ask), until));
  if (auto const refused = runner_refusal(made.front())) co_return *refused;
  co_return made.front().id(1);
}

task<result<held_claim>> runner_store::extend(sha256_digest secret, uuid run, uuid claim, deadline until) {
  postgres::query ask{extend_lease, postgres::parameters(byte_view(secret), run, claim, lease_.count())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_claim(found);
}

task<result<held_claim>> runner_store::look(sha256_digest secret, uuid run, uuid claim, deadline until) {
  postgres::query ask{look_at_claim, postgres::parameters(byte_view(secret), run, claim)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_claim(found);
}

task<std::vector<uuid>> runner_store::changed(std::vector<uuid> runs, deadline until) {
  postgres::query ask{changed_runs, postgres::parameters(runs)};
  co_return read_ids(settled(co_await db_.run(std::move(ask), until)));
}

task<result<freed_run>> runner_store::complete(sha256_digest secret, run_completion what, deadline until) {
  auto const group = shared_->completions;
  completion_row const row{secret, std::make_shared<run_completion const>(std::move(what))};
  attempts again(co_await asio::this_coro::executor, until, milliseconds{0});
  do {
    auto done = co_await group->commit(row, until);
    SVC_FAILPOINT("complete.after_commit");
    if (done) co_return std::move(*done);
  } while (co_await again.next());
  throw unavailable("another transaction holds the run");
}

}  // namespace svc::store
