#include "svc/store/runners/runner_token_store.hpp"

#include "store/runners/runner_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

// Creations and revocations of an organisation wait for each other here, because its tokens have bounds.
constexpr postgres::statement lock_organization_of_runner{"runner_token_lock_organization", R"(
SELECT FROM organizations
 WHERE id = coalesce($1, (SELECT organization_id FROM projects WHERE id = $2),
                     (SELECT organization_id FROM runner_tokens WHERE id = $3))
   FOR NO KEY UPDATE)"};

// No row: the organisation or project does not exist.
constexpr postgres::statement insert_runner_token{"runner_token_insert", R"(
INSERT INTO runner_tokens (id, organization_id, project_id, name, start, digest)
SELECT $1, o.id, p.id, $4, $5, $6
  FROM organizations o LEFT JOIN projects p ON p.id = $3 AND p.organization_id = o.id
 WHERE o.id = coalesce($2, (SELECT organization_id FROM projects WHERE id = $3))
RETURNING id, name, start, organization_id, project_id, 0::bigint, NULL::timestamptz, created_at)"};

constexpr postgres::statement list_of_organization{"runner_token_list", R"(
SELECT t.id, t.name, t.start, t.organization_id, t.project_id, count(e.id), max(e.last_seen_at), t.created_at
  FROM runner_tokens t LEFT JOIN runners e ON e.token_id = t.id
 WHERE t.revoked_at IS NULL AND ($1::uuid IS NULL OR t.organization_id = $1)
 GROUP BY t.id ORDER BY t.created_at, t.id)"};

constexpr postgres::statement revoke_runner_token{"runner_token_revoke", R"(
UPDATE runner_tokens SET revoked_at = clock_timestamp() WHERE id = $1 AND revoked_at IS NULL
RETURNING organization_id, project_id, name)"};

stored_runner_token read_runner_token(postgres::row r) {
  return {.id = r.id(0),
          .name = std::string(r.text(1)),
          .start = std::string(r.text(2)),
          .organization = r.id(3),
          .project = r.maybe_id(4),
          .runners = r.integer(5),
          .last_seen_at = r.maybe_time(6),
          .created_at = r.time(7)};
}

}  // namespace

postgres::query runner_audit_query(audit_actor actor, std::string action, uuid id, uuid organization,
                                   std::optional<uuid> project, std::string_view name) {
  return audit_query({.actor = std::move(actor),
                      .organization = organization,
                      .project = project,
                      .action = std::move(action),
                      .resource = "runner",
                      .resource_id = id,
                      .details = boost::json::serialize(boost::json::object{{"name", name}})});
}

task<result<stored_runner_token>> runner_token_store::create(new_runner_token new_runner_token, audit_actor actor,
                                                             deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  settled(co_await work.run(postgres::query{
      lock_organization_of_runner,
      postgres::parameters(new_runner_token.organization, new_runner_token.project, std::optional<uuid>())}));
  auto const made = co_await work.run(postgres::query{
      insert_runner_token,
      postgres::parameters(uuid::generate_v7(), new_runner_token.organization, new_runner_token.project,
                           new_runner_token.name, new_runner_token.start, byte_view(new_runner_token.digest))});
  if (!made && made.error().constraint == "runner_tokens_name_unique") co_return errc::name_taken;
  if (!made && made.error().constraint == "runner_tokens_unrevoked_bound") co_return errc::runner_token_limit_reached;
  postgres::rows const rows = settled(made);
  if (rows.empty()) co_return errc::not_found;
  auto token = read_runner_token(rows.front());
  std::vector<postgres::query> last{runner_audit_query(std::move(actor), "runner.created", token.id,
                                                       token.organization, token.project, token.name)};
  settled(co_await work.commit(std::move(last)));
  co_return token;
}

task<std::vector<stored_runner_token>> runner_token_store::list(std::optional<uuid> organization, deadline until) {
  postgres::query ask{list_of_organization, postgres::parameters(organization)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<stored_runner_token> out;
  for (int i = 0; i < found.size(); ++i) out.push_back(read_runner_token(found[i]));
  co_return out;
}

task<result<>> runner_token_store::revoke(uuid id, audit_actor actor, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::query> end{
      {lock_organization_of_runner, postgres::parameters(std::optional<uuid>(), std::optional<uuid>(), id)},
      {revoke_runner_token, postgres::parameters(id)}};
  std::vector<postgres::rows> const done = settled(co_await work.run(std::move(end)));
  if (done[1].empty()) co_return errc::not_found;
  auto const row = done[1].front();
  std::vector<postgres::query> last{
      runner_audit_query(std::move(actor), "runner.revoked", id, row.id(0), row.maybe_id(1), row.text(2))};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
