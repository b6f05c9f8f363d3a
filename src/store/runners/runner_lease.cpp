#include "store/runners/runner_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/hash.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runners/runner_store.hpp"

namespace svc::store {

namespace {

// A runner without a free slot asks for no work, so its heartbeats say that it is there. `claims` names the relation
// with the runners. Skips a row that another transaction holds, so it never waits and cannot be part of a deadlock.
consteval auto runners_noted(auto const& claims) {
  return sql(R"(noted AS (
  UPDATE runners SET last_seen_at = clock_timestamp() WHERE id = ANY (ARRAY(
    SELECT free.id FROM (SELECT DISTINCT runner_id FROM )",
             claims, R"() one CROSS JOIN LATERAL (
      SELECT r.id FROM runners r
       WHERE r.id = one.runner_id AND r.)",
             seen_before, R"(
         FOR NO KEY UPDATE SKIP LOCKED) free))
))");
}

constexpr auto extend_lease_sql =
    sql("WITH ", runner_auth, R"(, kept AS (
  UPDATE run_queue q SET lease_until = clock_timestamp() + make_interval(secs => $4)
    FROM auth, projects p WHERE)",
        is_fenced, R"(
  RETURNING q.attempt, q.cancel_requested_at IS NOT NULL AS cancel, q.project_id, q.runner_id
), )",
        runners_noted("kept"), " SELECT", runner_token_state,
        ", kept.attempt, kept.cancel, kept.project_id FROM (VALUES (1)) one LEFT JOIN kept ON true");
constexpr postgres::statement extend_lease{"runner_extend_lease", extend_lease_sql};

constexpr auto look_at_claim_sql = sql(
    "WITH ", runner_auth, R"(, kept AS (
  SELECT q.attempt, q.cancel_requested_at IS NOT NULL AS cancel, q.project_id
    FROM auth, projects p, run_queue q WHERE)",
    is_fenced, R"(
)
SELECT)",
    runner_token_state, ", kept.attempt, kept.cancel, kept.project_id FROM (VALUES (1)) one LEFT JOIN kept ON true");
constexpr postgres::statement look_at_claim{"runner_look", look_at_claim_sql};

// The claims $2 and $3, each with its place, and those of them that hold.
constexpr auto asked_claims =
    sql("asked AS MATERIALIZED (SELECT run_id, claim_id, place FROM unnest((SELECT $2::uuid[]), (SELECT $3::uuid[]))"
        " WITH ORDINALITY a (run_id, claim_id, place)), held AS MATERIALIZED (SELECT a.place, q.run_id, q.claim_id,"
        " q.attempt, q.cancel_requested_at IS NOT NULL AS cancel, q.project_id, q.runner_id, q.lease_until,"
        " q.started_at"
        " FROM asked a CROSS JOIN LATERAL (SELECT * FROM run_queue WHERE run_id = a.run_id AND claim_id = a.claim_id"
        " AND lease_until IS NOT NULL LIMIT 1) q JOIN projects p ON p.id = q.project_id JOIN auth ON",
        is_in_scope, ")");

constexpr auto look_at_claims_sql = sql("WITH ", runner_auth, ", ", asked_claims, R"(
SELECT)",
                                        runner_token_state, R"(, held.attempt, held.cancel, held.project_id
  FROM asked LEFT JOIN held USING (place) ORDER BY asked.place)");
constexpr postgres::statement look_at_claims{"runner_look_all", look_at_claims_sql};

// Skips rows that another transaction holds, so it never waits and cannot be part of a deadlock; column 4 tells of
// them. The setting is the transaction's own, and is read at its COMMIT.
constexpr auto extend_leases_sql =
    sql("WITH ", runner_auth, ", ", asked_claims, R"(
, due AS MATERIALIZED (
  SELECT run_id, claim_id, lease_until <= started_at + make_interval(secs => $6) AS is_first
    FROM held WHERE lease_until < clock_timestamp() + make_interval(secs => $5)
), free AS MATERIALIZED (
  SELECT q.run_id FROM due CROSS JOIN LATERAL (
    SELECT run_id FROM run_queue WHERE run_id = due.run_id AND claim_id = due.claim_id AND lease_until IS NOT NULL
     LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) q
), kept AS (
  UPDATE run_queue q SET lease_until = clock_timestamp() + make_interval(secs => $4)
   WHERE q.run_id = ANY (ARRAY(SELECT run_id FROM free))
  RETURNING q.run_id
), )",
        runners_noted("held"), " SELECT", runner_token_state, R"(, held.attempt, held.cancel, held.project_id,
       held.run_id IN (SELECT run_id FROM due) AND held.run_id NOT IN (SELECT run_id FROM kept),
       (SELECT set_config('synchronous_commit',
                          CASE WHEN EXISTS (SELECT FROM due WHERE is_first AND $6 < $4)
                               THEN current_setting('synchronous_commit') ELSE 'off' END, true))
  FROM asked LEFT JOIN held USING (place) ORDER BY asked.place)");
constexpr postgres::statement extend_leases{"runner_extend_all", extend_leases_sql};

postgres::parameters names_of(sha256_digest const& secret, std::vector<claim_name> const& claims) {
  using claim_row = claim_name const&;
  return postgres::parameters(byte_view(secret), postgres::column<uuid>(claims, [](claim_row c) { return c.run; }),
                              postgres::column<uuid>(claims, [](claim_row c) { return c.claim; }));
}

std::optional<held_claim> read_held(postgres::row r) {
  if (r.is_null(1)) return std::nullopt;
  return held_claim{r.integer(1), r.boolean(2), r.id(3)};
}

result<held_claim> read_claim(postgres::rows const& found) {
  if (auto const refused = runner_refusal(found.front())) return *refused;
  auto held = read_held(found.front());
  if (!held) return errc::claim_lost;
  return *held;
}

result<held_claims> read_claims(postgres::rows const& found) {
  if (auto const refused = runner_refusal(found.front())) return *refused;
  held_claims out;
  for (int i = 0; i < found.size(); ++i) out.push_back(read_held(found[i]));
  return out;
}

}  // namespace

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

task<result<held_claims>> runner_store::look_all(sha256_digest secret, std::vector<claim_name> claims,
                                                 deadline until) {
  if (claims.empty()) co_return held_claims{};
  postgres::query ask{look_at_claims, names_of(secret, claims)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_claims(found);
}

task<result<held_claims>> runner_store::extend_all(sha256_digest secret, std::vector<claim_name> claims,
                                                   deadline until) {
  if (claims.empty()) co_return held_claims{};
  postgres::query ask{extend_leases, names_of(secret, claims)};
  for (auto const seconds : {lease_, kept_lease(), first_lease_}) ask.parameters.add(seconds.count());
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  auto out = read_claims(found);
  if (!out) co_return out.error();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    auto const row = found[static_cast<int>(i)];
    if (row.is_null(4) || !row.boolean(4)) continue;
    // Another transaction held the row: this waits for it alone.
    auto const claim = co_await extend(secret, claims[i].run, claims[i].claim, until);
    if (!claim && claim.error().code != errc::claim_lost) co_return claim.error();
    (*out)[i] = claim ? std::optional(*claim) : std::nullopt;
  }
  co_return out;
}

}  // namespace svc::store
