#include "svc/store/accounts/organization_runner_store.hpp"

#include "store/accounts/account_sql.hpp"
#include "store/directory/member_sql.hpp"
#include "store/runners/runner_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"

namespace svc::store {
namespace {

/// Unrevoked tokens of an organisation; the trigger `runner_tokens_bounded` has the same number.
constexpr std::int64_t most_runner_tokens = 50;

constexpr auto in_runner_scope =
    sql(" t.revoked_at IS NULL AND t.organization_id = $1::uuid AND ($2::uuid IS NULL OR t.project_id = $2) ");

constexpr auto runner_token_columns = sql(R"( t.id, t.name, t.start, p.id, p.name, p.slug,
       (SELECT count(*) FROM runners r WHERE r.token_id = t.id),
       (SELECT max(r.last_seen_at) FROM runners r WHERE r.token_id = t.id), u.id, u.name, t.created_at
  FROM runner_tokens t
  LEFT JOIN projects p ON p.id = t.project_id
  LEFT JOIN users u ON u.id = t.created_by
 WHERE)",
                                          in_runner_scope);

// $3 limit + 1, $4 offset, $5 and $6 the key to start after.
constexpr auto list_runner_tokens_sql =
    paged_sql(sql("runner_tokens t WHERE", in_runner_scope), no_estimate, "",
              sql(runner_token_columns, rows_behind("t.created_at, t.id", "$5", "$6"),
                  " ORDER BY t.created_at, t.id LIMIT $3 OFFSET $4"));
constexpr postgres::statement list_runner_tokens{"organization_runner_tokens", list_runner_tokens_sql};

constexpr auto read_shown_runner_token_sql = sql("SELECT", runner_token_columns, "AND t.id = $3");
constexpr postgres::statement read_shown_runner_token{"organization_runner_token", read_shown_runner_token_sql};

constexpr postgres::statement count_runner_tokens{
    "organization_count_runner_tokens",
    "SELECT count(*) FROM runner_tokens WHERE organization_id = $1 AND revoked_at IS NULL"};

constexpr postgres::statement insert_shared_runner_token{"organization_runner_token_insert", R"(
INSERT INTO runner_tokens (id, organization_id, project_id, name, start, digest, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7))"};

constexpr auto end_runner_token_sql =
    sql("UPDATE runner_tokens t SET revoked_at = clock_timestamp() WHERE t.id = $3 AND", in_runner_scope,
        "RETURNING t.project_id, t.name");
constexpr postgres::statement end_runner_token{"organization_runner_token_revoke", end_runner_token_sql};

// The runners of a project include those that serve all projects of its organisation.
constexpr auto serves_scope = sql(R"( r.token_id = ANY (ARRAY(
  SELECT t.id FROM runner_tokens t WHERE t.revoked_at IS NULL AND t.organization_id = $1::uuid
     AND ($2::uuid IS NULL OR t.project_id IS NULL OR t.project_id = $2))) )");
// An organisation may have 50 000 runners, so the statement sorts their ids and joins only the rows of the page.
constexpr auto list_runners_sql = paged_sql(
    sql("runners r WHERE", serves_scope), no_estimate, "",
    sql(R"( r.id, r.name, r.version, to_jsonb(r.labels)::text, r.slots::bigint, t.id, t.name, p.id, p.name, p.slug,
       r.registered_at, r.last_seen_at,
       (SELECT count(*) FROM run_queue q WHERE q.runner_id = r.id AND q.lease_until IS NOT NULL)
  FROM (SELECT r.id FROM runners r WHERE)",
        serves_scope, rows_behind("r.registered_at, r.id", "$5", "$6"),
        R"( ORDER BY r.registered_at, r.id LIMIT $3 OFFSET $4) chosen
  JOIN runners r ON r.id = chosen.id
  JOIN runner_tokens t ON t.id = r.token_id
  LEFT JOIN projects p ON p.id = t.project_id
 ORDER BY r.registered_at, r.id)"));
constexpr postgres::statement list_runners{"organization_runners", list_runners_sql};

/// Reads the id, the name and the slug of a project from three columns.
std::optional<named_thing> project_in(postgres::row const& r, int first) {
  if (r.is_null(first)) return std::nullopt;
  return named_thing{r.id(first), std::string(r.text(first + 1)), std::string(r.text(first + 2))};
}

shown_runner_token as_runner_token(postgres::row const& r, int first) {
  shown_runner_token out{.id = r.id(first),
                         .name = std::string(r.text(first + 1)),
                         .start = std::string(r.text(first + 2)),
                         .project = project_in(r, first + 3),
                         .runners = r.integer(first + 6),
                         .last_seen_at = r.maybe_time(first + 7),
                         .creator = {},
                         .created_at = r.time(first + 10)};
  if (!r.is_null(first + 8)) out.creator = named_thing{r.id(first + 8), std::string(r.text(first + 9))};
  return out;
}

shown_runner as_runner(postgres::row const& r, int first) {
  return {.id = r.id(first),
          .name = std::string(r.text(first + 1)),
          .version = std::string(r.text(first + 2)),
          .labels = std::string(r.text(first + 3)),
          .slots = r.integer(first + 4),
          .token = {r.id(first + 5), std::string(r.text(first + 6))},
          .project = project_in(r, first + 7),
          .created_at = r.time(first + 10),
          .last_seen_at = r.time(first + 11),
          .busy = r.integer(first + 12)};
}

postgres::query page_query(postgres::statement const& which, runner_scope const& scope, page_request const& wanted) {
  return {which, postgres::parameters(scope.organization, scope.project, wanted.limit + 1, wanted.offset(),
                                      wanted.after_time(), wanted.after_id())};
}

}  // namespace

task<page<shown_runner_token>> organization_runner_store::tokens(runner_scope scope, page_request wanted,
                                                                 deadline until) {
  postgres::rows const found = settled(co_await db_.run(page_query(list_runner_tokens, scope, wanted), until));
  co_return read_page<shown_runner_token>(found, wanted, 2, as_runner_token, created_key<shown_runner_token>);
}

task<page<shown_runner>> organization_runner_store::runners(runner_scope scope, page_request wanted, deadline until) {
  postgres::rows const found = settled(co_await db_.run(page_query(list_runners, scope, wanted), until));
  co_return read_page<shown_runner>(found, wanted, 2, as_runner, created_key<shown_runner>);
}

task<result<shown_runner_token>> organization_runner_store::create(runner_scope scope, std::string name,
                                                                   std::string start, sha256_digest digest,
                                                                   audit_actor actor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> first{lock_organization_query(scope.organization),
                                     {count_runner_tokens, postgres::parameters(scope.organization)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (found[0].empty()) co_return errc::not_found;
  if (found[1].front().integer(0) >= most_runner_tokens) co_return errc::runner_token_limit_reached;
  uuid const id = uuid::generate_v7();
  std::vector<postgres::query> last{
      {insert_shared_runner_token,
       postgres::parameters(id, scope.organization, scope.project, name, start, byte_view(digest), actor.user)},
      runner_audit_query(actor, "runner.created", id, scope.organization, scope.project, name),
      {read_shown_runner_token, postgres::parameters(scope.organization, scope.project, id)}};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await tx.commit(std::move(last));
  if (!done && done.error().constraint == "runner_tokens_name_unique")
    co_return error(errc::name_taken, "Another runner token of the organization has this name.");
  co_return as_runner_token(settled(done)[2].front(), 0);
}

task<result<>> organization_runner_store::revoke(runner_scope scope, uuid id, audit_actor actor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> first{lock_organization_query(scope.organization),
                                     {end_runner_token, postgres::parameters(scope.organization, scope.project, id)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (found[1].empty()) co_return errc::not_found;
  auto const row = found[1].front();
  std::vector<postgres::query> last{
      runner_audit_query(std::move(actor), "runner.revoked", id, scope.organization, row.maybe_id(0), row.text(1))};
  settled(co_await tx.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
