#include "store/directory/member_sql.hpp"

namespace svc::store {
namespace {

constexpr postgres::statement lock_organization{"organization_lock",
                                                "SELECT FROM organizations WHERE id = $1 FOR NO KEY UPDATE"};

constexpr postgres::statement delete_member{
    "member_delete", "DELETE FROM organization_members WHERE organization_id = $1 AND user_id = $2 RETURNING role"};
constexpr postgres::statement delete_member_roles{"member_delete_roles", R"(
DELETE FROM project_members
 WHERE user_id = $2 AND project_id IN (SELECT id FROM projects WHERE organization_id = $1)
RETURNING project_id)"};

constexpr auto stop_tokens_sql = sql(
    "UPDATE tokens t SET owner_left_at = clock_timestamp(), version = t.version + 1, updated_at = clock_timestamp()"
    " WHERE",
    is_stopped_token, "RETURNING", stopped_token_columns);
constexpr postgres::statement stop_tokens{"member_stop_tokens", stop_tokens_sql};
constexpr auto list_stopped_sql =
    sql("SELECT", stopped_token_columns, "FROM tokens t WHERE", is_stopped_token, "ORDER BY t.created_at, t.id");
constexpr postgres::statement list_stopped{"member_list_stopped", list_stopped_sql};

constexpr postgres::statement list_known_runners{"member_runner_tokens", R"(
SELECT t.id, t.name, t.start, p.id, p.name
  FROM runner_tokens t LEFT JOIN projects p ON p.id = t.project_id
 WHERE t.organization_id = $1 AND t.created_by = $2 AND t.revoked_at IS NULL
 ORDER BY t.created_at, t.id)"};

}  // namespace

postgres::query lock_organization_query(uuid organization) {
  return {lock_organization, postgres::parameters(organization)};
}

std::vector<postgres::query> removal_queries(uuid organization, uuid user) {
  postgres::parameters const whose(organization, user);
  return {{delete_member, whose}, {delete_member_roles, whose}, {stop_tokens, whose}};
}

void note_lost_roles(audit_actor const& actor, uuid user, postgres::rows const& projects) {
  if (!actor.audited) return;
  for (int i = 0; i < projects.size(); ++i) actor.audited->push_back({projects[i].id(0), "member", user});
}

postgres::query list_stopped_query(uuid organization, uuid user) {
  return {list_stopped, postgres::parameters(organization, user)};
}

std::vector<stopped_token> read_stopped(postgres::rows const& found) {
  std::vector<stopped_token> out;
  for (int i = 0; i < found.size(); ++i) {
    postgres::row const r = found[i];
    out.push_back({r.id(0), parse_token_kind(r.text(1)).value(), r.id(2), r.maybe_id(3), std::string(r.text(4)),
                   std::string(r.text(5))});
  }
  return out;
}

postgres::query known_runners_query(uuid organization, uuid user) {
  return {list_known_runners, postgres::parameters(organization, user)};
}

std::vector<known_runner_token> read_known_runners(postgres::rows const& found) {
  std::vector<known_runner_token> out;
  for (int i = 0; i < found.size(); ++i) {
    postgres::row const r = found[i];
    out.push_back({.id = r.id(0),
                   .name = std::string(r.text(1)),
                   .start = std::string(r.text(2)),
                   .project = r.maybe_id(3),
                   .project_name = r.maybe_text(4)});
  }
  return out;
}

audit_entry member_audit(std::string verb, uuid organization, std::optional<uuid> project, uuid user,
                         audit_actor const& actor, boost::json::object const& details) {
  return {.actor = actor,
          .organization = organization,
          .project = project,
          .action = "member." + std::move(verb),
          .resource = "member",
          .resource_id = user,
          .details = boost::json::serialize(details)};
}

audit_entry stopped_audit(stopped_token const& t, uuid organization, audit_actor const& actor) {
  std::string const resource = t.job ? "trigger_key" : "cli_token";
  boost::json::object const details{{"name", t.name}, {"reason", "owner_removed"}};
  return {.actor = actor,
          .organization = organization,
          .project = t.project,
          .action = resource + ".disabled",
          .resource = resource,
          .resource_id = t.id,
          .details = boost::json::serialize(details)};
}

error no_member() {
  return {errc::not_found, "The user is not a member of the organization."};
}

}  // namespace svc::store
