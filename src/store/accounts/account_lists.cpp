// The lists of a user over all organisations: tokens and projects.
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/store/accounts/account_store.hpp"

namespace svc::store {
namespace {

// A key of a deleted job counts as revoked.
constexpr auto is_own_token =
    sql(" t.owner_id = $1::uuid AND t.revoked_at IS NULL"
        " AND NOT EXISTS (SELECT FROM jobs j WHERE j.id = t.job_id AND j.deleted_at IS NOT NULL) ");
// $2 limit + 1, $3 offset, $4 and $5 the key to start after.
constexpr auto own_tokens_sql = paged_sql(
    sql("tokens t WHERE", is_own_token), no_estimate, "",
    sql(" t.id, t.kind, t.name, t.start, t.enabled, t.owner_left_at IS NOT NULL, p.id, p.name, o.id, o.name,"
        " t.job_id, t.expires_at, lu.used_at, t.created_at"
        " FROM tokens t JOIN projects p ON p.id = t.project_id"
        " JOIN organizations o ON o.id = p.organization_id"
        " LEFT JOIN token_last_use lu ON lu.token_id = t.id WHERE",
        is_own_token, rows_behind("t.created_at, t.id", "$4", "$5"),
        " ORDER BY t.created_at, t.id LIMIT $2 OFFSET $3"));
constexpr postgres::statement own_tokens{"account_tokens", own_tokens_sql};

// The role of an owner or administrator of the organisation counts in all of its projects.
constexpr auto own_role = sql(" coalesce(nullif(om.role, 'org_member'), pm.role) ");
constexpr auto own_projects_from =
    sql(" organization_members om JOIN organizations o ON o.id = om.organization_id"
        " JOIN projects p ON p.organization_id = om.organization_id"
        " LEFT JOIN project_members pm ON pm.project_id = p.id AND pm.user_id = om.user_id"
        " WHERE om.user_id = $1 AND p.archived_at IS NULL AND",
        own_role,
        "IS NOT NULL AND ($3::text IS NULL OR position(lower($3) IN lower(p.name)) > 0"
        " OR position(lower($3) IN lower(o.slug || '/' || p.slug)) > 0"
        " OR position(lower($3) IN lower(o.name)) > 0) ");
// $2 the session, $4 limit + 1, $5 offset, $6 and $7 the key to start after.
constexpr auto own_projects_sql =
    paged_sql(own_projects_from, no_estimate, "",
              sql(" p.id, p.slug, p.name,", own_role,
                  ", coalesce((SELECT policy_met(o.sign_in_policy, s.method, s.provider) FROM sessions s"
                  " WHERE s.id = $2), false), o.id, o.slug, o.name, p.created_at FROM",
                  own_projects_from, rows_before("p.created_at, p.id", "$6", "$7"),
                  " ORDER BY p.created_at DESC, p.id DESC LIMIT $4 OFFSET $5"));
constexpr postgres::statement own_projects{"account_projects", own_projects_sql};

own_token as_own_token(postgres::row const& r, int first) {
  return {.id = r.id(first),
          .kind = parse_token_kind(r.text(first + 1)).value(),
          .name = std::string(r.text(first + 2)),
          .start = std::string(r.text(first + 3)),
          .enabled = r.boolean(first + 4),
          .stopped = r.boolean(first + 5),
          .project = r.id(first + 6),
          .project_name = std::string(r.text(first + 7)),
          .organization = r.id(first + 8),
          .organization_name = std::string(r.text(first + 9)),
          .job = r.maybe_id(first + 10),
          .expires_at = r.maybe_time(first + 11),
          .last_used_at = r.maybe_time(first + 12),
          .created_at = r.time(first + 13)};
}

own_project as_own_project(postgres::row const& r, int first) {
  return {.id = r.id(first),
          .slug = std::string(r.text(first + 1)),
          .name = std::string(r.text(first + 2)),
          .role = std::string(r.text(first + 3)),
          .policy_met = r.boolean(first + 4),
          .organization = r.id(first + 5),
          .organization_slug = std::string(r.text(first + 6)),
          .organization_name = std::string(r.text(first + 7)),
          .created_at = r.time(first + 8)};
}

}  // namespace

task<page<own_token>> account_store::tokens(uuid user, page_request wanted, deadline until) {
  postgres::query ask{own_tokens, postgres::parameters(user, wanted.limit + 1, wanted.offset(), wanted.after_time(),
                                                       wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<own_token>(found, wanted, 2, as_own_token, created_key<own_token>);
}

task<page<own_project>> account_store::projects(uuid user, uuid session, std::optional<std::string> search,
                                                page_request wanted, deadline until) {
  postgres::query ask{own_projects, postgres::parameters(user, session, search, wanted.limit + 1, wanted.offset(),
                                                         wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<own_project>(found, wanted, 2, as_own_project, created_key<own_project>);
}

}  // namespace svc::store
