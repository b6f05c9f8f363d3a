#include "svc/store/audit_store.hpp"

#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"

namespace svc::store {

namespace {

// One statement for each leading filter, so that each uses its own index, even with a generic plan. $3 action, $4
// actor, $5 from, $6 to, $7 limit + 1, $8 offset, $9 and $10 the key to start after.
#define SVC_AUDIT(scope)                                                                                   \
  SVC_PAGED("audit_log a WHERE" scope,                                                                     \
            "estimated_rows('SELECT FROM audit_log a WHERE true'"                                          \
            " || coalesce(' AND a.organization_id = ' || quote_literal($1), '')"                           \
            " || coalesce(' AND a.project_id = ' || quote_literal($2), '')"                                \
            " || coalesce(' AND a.action = ' || quote_literal($3), '')"                                    \
            " || coalesce(' AND a.actor_id = ' || quote_literal($4), '')"                                  \
            " || coalesce(' AND a.created_at >= ' || quote_literal($5), '')"                               \
            " || coalesce(' AND a.created_at < ' || quote_literal($6), ''))",                              \
            "",                                                                                            \
            "a.id, a.organization_id, a.project_id, a.action, a.actor_id, a.actor_name, a.actor_token_id," \
            " a.resource, a.resource_id, a.ip, a.user_agent, a.request_id, a.details, a.created_at"        \
            " FROM audit_log a WHERE" scope SVC_BEFORE(                                                    \
                "a.created_at, a.id", "$9", "$10") " ORDER BY a.created_at DESC, a.id DESC LIMIT $7 OFFSET $8")
#define SVC_AUDIT_WHEN                                          \
  " AND a.created_at >= coalesce($5::timestamptz, '-infinity')" \
  " AND a.created_at < coalesce($6::timestamptz, 'infinity') "
#define SVC_AUDIT_WHICH                      \
  " AND ($3::text IS NULL OR a.action = $3)" \
  " AND ($4::uuid IS NULL OR a.actor_id = $4)" SVC_AUDIT_WHEN
#define SVC_AUDIT_PLACE " a.project_id = $2::uuid AND $1::uuid IS NULL"
constexpr postgres::statement of_project{
    "audit_of_project", SVC_AUDIT(SVC_AUDIT_PLACE " AND $3::text IS NULL AND $4::uuid IS NULL" SVC_AUDIT_WHEN)};
constexpr postgres::statement of_action{
    "audit_of_action", SVC_AUDIT(SVC_AUDIT_PLACE " AND a.action = $3::text AND $4::uuid IS NULL" SVC_AUDIT_WHEN)};
constexpr postgres::statement of_actor{
    "audit_of_actor", SVC_AUDIT(SVC_AUDIT_PLACE " AND a.actor_id = $4::uuid AND $3::text IS NULL" SVC_AUDIT_WHEN)};
constexpr postgres::statement of_both{
    "audit_of_both", SVC_AUDIT(SVC_AUDIT_PLACE " AND a.action = $3::text AND a.actor_id = $4::uuid" SVC_AUDIT_WHEN)};
constexpr postgres::statement of_project_in_organization{
    "audit_of_project_in_organization",
    SVC_AUDIT(" a.project_id = $2::uuid AND a.organization_id = $1::uuid" SVC_AUDIT_WHICH)};
constexpr postgres::statement of_organization{
    "audit_of_organization", SVC_AUDIT(" a.organization_id = $1::uuid AND $2::uuid IS NULL" SVC_AUDIT_WHICH)};
constexpr postgres::statement of_all{"audit_of_all",
                                     SVC_AUDIT(" $1::uuid IS NULL AND $2::uuid IS NULL" SVC_AUDIT_WHICH)};
#undef SVC_AUDIT_PLACE
#undef SVC_AUDIT
#undef SVC_AUDIT_WHICH
#undef SVC_AUDIT_WHEN

std::string text_or_empty(postgres::row const& r, int column) {
  return r.maybe_text(column).value_or(std::string());
}

audit_row read_audit_row(postgres::row const& r, int first) {
  audit_row out;
  out.id = r.id(first);
  out.what.organization = r.maybe_id(first + 1);
  out.what.project = r.maybe_id(first + 2);
  out.what.action = std::string(r.text(first + 3));
  out.what.actor = {.user = r.maybe_id(first + 4),
                    .name = std::string(r.text(first + 5)),
                    .token = r.maybe_id(first + 6),
                    .ip = text_or_empty(r, first + 9),
                    .user_agent = text_or_empty(r, first + 10),
                    .request_id = text_or_empty(r, first + 11)};
  out.what.resource = std::string(r.text(first + 7));
  out.what.resource_id = r.maybe_id(first + 8);
  out.what.details = std::string(r.text(first + 12));
  out.created_at = r.time(first + 13);
  return out;
}

postgres::statement statement_for(audit_filter const& which) {
  if (which.project && which.organization) return of_project_in_organization;
  if (which.project && which.action) return which.actor ? of_both : of_action;
  if (which.project) return which.actor ? of_actor : of_project;
  return which.organization ? of_organization : of_all;
}

}  // namespace

task<page<audit_row>> audit_store::list(audit_filter which, page_request wanted, deadline until) {
  postgres::query ask{
      statement_for(which),
      postgres::parameters(which.organization, which.project, which.action, which.actor, which.from, which.to,
                           wanted.limit + 1, wanted.offset(), wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<audit_row>(found, wanted, 2, read_audit_row, created_key<audit_row>);
}

}  // namespace svc::store
