#include "store/directory/audit_sql.hpp"

#include "store/sql/page_sql.hpp"

namespace svc::store {

namespace {

/// A plan for any values would take all users and all projects for average, and could not know that an action is not
/// that of triggers.
constexpr bool planned_each_time = true;

// Ids are in the order of time. The rows of triggers, nearly all of them, and the others have indexes of their own,
// for each combination of filters, so that a rare row is found among few; a list of both kinds merges their newest
// rows. A list of several projects takes the newest rows of each, and of what belongs to no project. $1 organization,
// $2 project, $3 action, $4 actor, $5 from, $6 to, $7 limit + 1, $8 offset, $9 the id to start after.
#define SVC_AUDIT_ROWS(where)                                      \
  " FROM audit_log WHERE" where                                    \
  " AND id >= first_id_at(coalesce($5::timestamptz, '-infinity'))" \
  " AND id < first_id_at(coalesce($6::timestamptz, 'infinity'))"
#define SVC_AUDIT_TRIGGERS(where) SVC_AUDIT_ROWS(" action = 'job.triggered' AND" where)
#define SVC_AUDIT_OTHERS(where) SVC_AUDIT_ROWS(" action <> 'job.triggered' AND" where)
#define SVC_AUDIT_NEWEST(rows)                                           \
  "(SELECT *" rows                                                       \
  " AND id < coalesce($9::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')" \
  " ORDER BY id DESC LIMIT $7::bigint + $8::bigint)"

#define SVC_AUDIT(counted, newest)                                                                         \
  SVC_PAGED("(" counted ") counted",                                                                       \
            "estimated_rows('SELECT FROM audit_log WHERE true'"                                            \
            " || coalesce(' AND organization_id = ' || quote_literal($1::uuid), '')"                       \
            " || coalesce(' AND project_id = ' || quote_literal($2::uuid), '')"                            \
            " || coalesce(' AND action = ' || quote_literal($3::text), '')"                                \
            " || coalesce(' AND actor_id = ' || quote_literal($4::uuid), '')"                              \
            " || coalesce(' AND id >= ' || quote_literal(first_id_at($5)), '')"                            \
            " || coalesce(' AND id < ' || quote_literal(first_id_at($6)), ''))",                           \
            "",                                                                                            \
            "a.id, a.organization_id, a.project_id, a.action, a.actor_id, a.actor_name, a.actor_token_id," \
            " a.resource, a.resource_id, a.ip, a.user_agent, a.request_id, a.details, a.created_at"        \
            " FROM (" newest ") a ORDER BY a.id DESC LIMIT $7 OFFSET $8")
#define SVC_AUDIT_OF(rows) SVC_AUDIT("SELECT" rows, SVC_AUDIT_NEWEST(rows))
#define SVC_AUDIT_OF_BOTH(where)                                                            \
  SVC_AUDIT("SELECT" SVC_AUDIT_TRIGGERS(where) " UNION ALL SELECT" SVC_AUDIT_OTHERS(where), \
            SVC_AUDIT_NEWEST(SVC_AUDIT_TRIGGERS(where)) " UNION ALL " SVC_AUDIT_NEWEST(SVC_AUDIT_OTHERS(where)))

constexpr postgres::statement of_project{"audit_of_project", SVC_AUDIT_OF_BOTH(" project_id = $2"),
                                         planned_each_time};
constexpr postgres::statement of_actor{"audit_of_actor", SVC_AUDIT_OF_BOTH(" project_id = $2 AND actor_id = $4"),
                                       planned_each_time};
constexpr postgres::statement of_action{
    "audit_of_action", SVC_AUDIT_OF(SVC_AUDIT_ROWS(" project_id = $2 AND action = $3")), planned_each_time};
constexpr postgres::statement of_action_and_actor{
    "audit_of_both", SVC_AUDIT_OF(SVC_AUDIT_ROWS(" project_id = $2 AND action = $3 AND actor_id = $4")),
    planned_each_time};
constexpr postgres::statement of_triggers{"audit_of_triggers", SVC_AUDIT_OF(SVC_AUDIT_TRIGGERS(" project_id = $2")),
                                          planned_each_time};
constexpr postgres::statement of_triggers_and_actor{
    "audit_of_triggers_and_actor", SVC_AUDIT_OF(SVC_AUDIT_TRIGGERS(" project_id = $2 AND actor_id = $4")),
    planned_each_time};

#define SVC_AUDIT_EACH " project_id = p.id AND ($4::uuid IS NULL OR actor_id = $4)"
#define SVC_AUDIT_PROJECTS(each)                              \
  " FROM projects p CROSS JOIN LATERAL (" each                \
  ") each WHERE ($1::uuid IS NULL OR p.organization_id = $1)" \
  " AND ($2::uuid IS NULL OR p.id = $2) UNION ALL "
#define SVC_AUDIT_NO_PROJECT                                                        \
  SVC_AUDIT_ROWS(                                                                   \
      " project_id IS NULL AND $2 IS NULL AND ($1 IS NULL OR organization_id = $1)" \
      " AND ($3::text IS NULL OR action = $3) AND ($4 IS NULL OR actor_id = $4)")
#define SVC_AUDIT_EVERYWHERE(counted, newest)                                                  \
  SVC_AUDIT("SELECT" SVC_AUDIT_PROJECTS(counted " LIMIT 10001") "SELECT" SVC_AUDIT_NO_PROJECT, \
            "SELECT each.*" SVC_AUDIT_PROJECTS(newest) SVC_AUDIT_NEWEST(SVC_AUDIT_NO_PROJECT))
#define SVC_AUDIT_EVERYWHERE_OF(rows) SVC_AUDIT_EVERYWHERE("SELECT" rows, SVC_AUDIT_NEWEST(rows))

constexpr postgres::statement everywhere{
    "audit_everywhere",
    SVC_AUDIT_EVERYWHERE(
        "SELECT" SVC_AUDIT_TRIGGERS(SVC_AUDIT_EACH) " UNION ALL SELECT" SVC_AUDIT_OTHERS(SVC_AUDIT_EACH),
        SVC_AUDIT_NEWEST(SVC_AUDIT_TRIGGERS(SVC_AUDIT_EACH)) " UNION ALL " SVC_AUDIT_NEWEST(
            SVC_AUDIT_OTHERS(SVC_AUDIT_EACH))),
    planned_each_time};
constexpr postgres::statement everywhere_of_action{
    "audit_everywhere_of_action", SVC_AUDIT_EVERYWHERE_OF(SVC_AUDIT_ROWS(SVC_AUDIT_EACH " AND action = $3")),
    planned_each_time};
constexpr postgres::statement everywhere_of_triggers{
    "audit_everywhere_of_triggers", SVC_AUDIT_EVERYWHERE_OF(SVC_AUDIT_TRIGGERS(SVC_AUDIT_EACH)), planned_each_time};
#undef SVC_AUDIT_EVERYWHERE_OF
#undef SVC_AUDIT_EVERYWHERE
#undef SVC_AUDIT_NO_PROJECT
#undef SVC_AUDIT_PROJECTS
#undef SVC_AUDIT_EACH
#undef SVC_AUDIT_OF_BOTH
#undef SVC_AUDIT_OF
#undef SVC_AUDIT
#undef SVC_AUDIT_NEWEST
#undef SVC_AUDIT_OTHERS
#undef SVC_AUDIT_TRIGGERS
#undef SVC_AUDIT_ROWS

postgres::statement statement_for(audit_filter const& which) {
  bool const of_trigger = which.action == "job.triggered";
  if (!which.project || which.organization) {
    if (of_trigger) return everywhere_of_triggers;
    return which.action ? everywhere_of_action : everywhere;
  }
  if (of_trigger) return which.actor ? of_triggers_and_actor : of_triggers;
  if (which.action) return which.actor ? of_action_and_actor : of_action;
  return which.actor ? of_actor : of_project;
}

}  // namespace

postgres::query audit_list_query(audit_filter const& which, page_request const& wanted) {
  return {statement_for(which),
          postgres::parameters(which.organization, which.project, which.action, which.actor, which.start, which.end,
                               wanted.limit + 1, wanted.offset(), wanted.after_id())};
}

}  // namespace svc::store
