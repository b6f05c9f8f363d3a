#include "svc/store/runner_store.hpp"

#include "store/runners/runner_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>

namespace svc::store {

namespace {

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
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<uuid> out;
  for (int i = 0; i < found.size(); ++i) out.push_back(found[i].id(0));
  co_return out;
}

}  // namespace svc::store
