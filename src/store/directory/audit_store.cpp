#include "svc/store/directory/audit_store.hpp"

#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"

namespace svc::store {

namespace {

/// A generic plan would treat all users and all projects as average, and could not know that the wanted action is not
/// that of triggers.
constexpr bool planned_each_time = true;

// Ids are in the order of time. The rows of triggers, nearly all of them, and the others have indexes of their own,
// for each combination of filters, so that a rare row is found among few; a list of both kinds merges their newest
// rows. A list of several projects takes the newest rows of each, and of what belongs to no project. $1 organization,
// $2 project, $3 action, $4 actor, $5 from, $6 to, $7 limit + 1, $8 offset, $9 the id to start after.
consteval auto audit_rows(auto const& condition) {
  return sql(" FROM audit_log WHERE", condition,
             " AND id >= first_id_at(coalesce($5::timestamptz, '-infinity'))"
             " AND id < first_id_at(coalesce($6::timestamptz, 'infinity'))");
}
consteval auto audits_of_triggers(auto const& condition) {
  return audit_rows(sql(" action = 'job.triggered' AND", condition));
}
consteval auto other_audits(auto const& condition) {
  return audit_rows(sql(" action <> 'job.triggered' AND", condition));
}
consteval auto newest_audits(auto const& rows) {
  return sql("(SELECT *", rows,
             " AND id < coalesce($9::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')"
             " ORDER BY id DESC LIMIT $7::bigint + $8::bigint)");
}

consteval auto audit_list(auto const& counted, auto const& newest) {
  return paged_sql(sql("(", counted, ") counted"),
                   "estimated_rows('SELECT FROM audit_log WHERE true'"
                   " || coalesce(' AND organization_id = ' || quote_literal($1::uuid), '')"
                   " || coalesce(' AND project_id = ' || quote_literal($2::uuid), '')"
                   " || coalesce(' AND action = ' || quote_literal($3::text), '')"
                   " || coalesce(' AND actor_id = ' || quote_literal($4::uuid), '')"
                   " || coalesce(' AND id >= ' || quote_literal(first_id_at($5)), '')"
                   " || coalesce(' AND id < ' || quote_literal(first_id_at($6)), ''))",
                   "",
                   sql("a.id, a.organization_id, a.project_id, a.action, a.actor_id, a.actor_name, a.actor_token_id,"
                       " a.resource, a.resource_id, a.ip, a.user_agent, a.request_id, a.details, a.created_at,"
                       " a.actor_session_id"
                       " FROM (",
                       newest, ") a ORDER BY a.id DESC LIMIT $7 OFFSET $8"));
}
consteval auto audit_list_of(auto const& rows) {
  return audit_list(sql("SELECT", rows), newest_audits(rows));
}
consteval auto audit_list_of_both(auto const& condition) {
  return audit_list(
      sql("SELECT", audits_of_triggers(condition), " UNION ALL SELECT", other_audits(condition)),
      sql(newest_audits(audits_of_triggers(condition)), " UNION ALL ", newest_audits(other_audits(condition))));
}

constexpr auto of_project_sql = audit_list_of_both(" project_id = $2");
constexpr postgres::statement of_project{"audit_of_project", of_project_sql, planned_each_time};
constexpr auto of_actor_sql = audit_list_of_both(" project_id = $2 AND actor_id = $4");
constexpr postgres::statement of_actor{"audit_of_actor", of_actor_sql, planned_each_time};
constexpr auto of_action_sql = audit_list_of(audit_rows(" project_id = $2 AND action = $3"));
constexpr postgres::statement of_action{"audit_of_action", of_action_sql, planned_each_time};
constexpr auto of_action_and_actor_sql =
    audit_list_of(audit_rows(" project_id = $2 AND action = $3 AND actor_id = $4"));
constexpr postgres::statement of_action_and_actor{"audit_of_both", of_action_and_actor_sql, planned_each_time};
constexpr auto of_triggers_sql = audit_list_of(audits_of_triggers(" project_id = $2"));
constexpr postgres::statement of_triggers{"audit_of_triggers", of_triggers_sql, planned_each_time};
constexpr auto of_triggers_and_actor_sql = audit_list_of(audits_of_triggers(" project_id = $2 AND actor_id = $4"));
constexpr postgres::statement of_triggers_and_actor{"audit_of_triggers_and_actor", of_triggers_and_actor_sql,
                                                    planned_each_time};

constexpr auto is_in_each_project = sql(" project_id = p.id AND ($4::uuid IS NULL OR actor_id = $4)");
consteval auto audits_of_projects(auto const& rows) {
  return sql(" FROM projects p CROSS JOIN LATERAL (", rows,
             ") each WHERE ($1::uuid IS NULL OR p.organization_id = $1)"
             " AND ($2::uuid IS NULL OR p.id = $2) UNION ALL ");
}
constexpr auto audits_of_no_project = audit_rows(
    " project_id IS NULL AND $2 IS NULL AND ($1 IS NULL OR organization_id = $1)"
    " AND ($3::text IS NULL OR action = $3) AND ($4 IS NULL OR actor_id = $4)");
consteval auto audit_list_everywhere(auto const& counted, auto const& newest) {
  return audit_list(sql("SELECT", audits_of_projects(sql(counted, " LIMIT 10001")), "SELECT", audits_of_no_project),
                    sql("SELECT each.*", audits_of_projects(newest), newest_audits(audits_of_no_project)));
}
consteval auto audit_list_everywhere_of(auto const& rows) {
  return audit_list_everywhere(sql("SELECT", rows), newest_audits(rows));
}

constexpr auto everywhere_sql = audit_list_everywhere(
    sql("SELECT", audits_of_triggers(is_in_each_project), " UNION ALL SELECT", other_audits(is_in_each_project)),
    sql(newest_audits(audits_of_triggers(is_in_each_project)), " UNION ALL ",
        newest_audits(other_audits(is_in_each_project))));
constexpr postgres::statement everywhere{"audit_everywhere", everywhere_sql, planned_each_time};
constexpr auto everywhere_of_action_sql =
    audit_list_everywhere_of(audit_rows(sql(is_in_each_project, " AND action = $3")));
constexpr postgres::statement everywhere_of_action{"audit_everywhere_of_action", everywhere_of_action_sql,
                                                   planned_each_time};
constexpr auto everywhere_of_triggers_sql = audit_list_everywhere_of(audits_of_triggers(is_in_each_project));
constexpr postgres::statement everywhere_of_triggers{"audit_everywhere_of_triggers", everywhere_of_triggers_sql,
                                                     planned_each_time};

// $1 the user, $2 limit + 1, $3 offset, $4 the id to start after. The index of these rows is by user and id.
constexpr auto is_event_of_user =
    sql("audit_log a WHERE a.actor_id = $1::uuid AND a.project_id IS NULL AND a.organization_id IS NULL");
constexpr auto events_of_user_sql =
    paged_sql(is_event_of_user, no_estimate, "",
              sql(" a.id, a.organization_id, a.project_id, a.action, a.actor_id, a.actor_name, a.actor_token_id,"
                  " a.resource, a.resource_id, a.ip, a.user_agent, a.request_id, a.details, a.created_at,"
                  " a.actor_session_id FROM ",
                  is_event_of_user,
                  " AND a.id < coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')"
                  " ORDER BY a.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement events_of_user{"audit_of_user", events_of_user_sql, planned_each_time};

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

std::string text_or_empty(postgres::row const& r, int column) {
  return r.maybe_text(column).value_or(std::string());
}

audit_row read_audit_row(postgres::row const& r, int first) {
  audit_row out;
  out.id = r.id(first);
  out.entry.organization = r.maybe_id(first + 1);
  out.entry.project = r.maybe_id(first + 2);
  out.entry.action = std::string(r.text(first + 3));
  out.entry.actor = {.user = r.maybe_id(first + 4),
                     .name = std::string(r.text(first + 5)),
                     .token = r.maybe_id(first + 6),
                     .ip = text_or_empty(r, first + 9),
                     .user_agent = text_or_empty(r, first + 10),
                     .request_id = text_or_empty(r, first + 11)};
  out.entry.resource = std::string(r.text(first + 7));
  out.entry.resource_id = r.maybe_id(first + 8);
  out.entry.details = std::string(r.text(first + 12));
  out.created_at = r.time(first + 13);
  out.entry.actor.session = r.maybe_id(first + 14);
  return out;
}

}  // namespace

postgres::query audit_list_query(audit_filter const& which, page_request const& wanted) {
  return {statement_for(which),
          postgres::parameters(which.organization, which.project, which.action, which.actor, which.start, which.end,
                               wanted.limit + 1, wanted.offset(), wanted.after_id())};
}

postgres::query event_list_query(uuid user, page_request const& wanted) {
  return {events_of_user, postgres::parameters(user, wanted.limit + 1, wanted.offset(), wanted.after_id())};
}

task<page<audit_row>> audit_store::list(audit_filter which, page_request wanted, deadline until) {
  postgres::rows const found = settled(co_await db_.run(audit_list_query(which, wanted), until));
  co_return read_page<audit_row>(found, wanted, 2, read_audit_row, created_key<audit_row>);
}

task<page<audit_row>> audit_store::list_events(uuid user, page_request wanted, deadline until) {
  postgres::rows const found = settled(co_await db_.run(event_list_query(user, wanted), until));
  co_return read_page<audit_row>(found, wanted, 2, read_audit_row, created_key<audit_row>);
}

}  // namespace svc::store
