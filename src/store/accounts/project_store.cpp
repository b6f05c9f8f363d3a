#include "svc/store/accounts/project_store.hpp"

#include "store/accounts/account_sql.hpp"
#include "store/directory/member_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

constexpr auto project_columns =
    sql(" p.id, p.slug, p.name, p.archived_at, p.version, p.created_at, o.id, o.slug, o.name"
        " FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE p.organization_id = $1 ");

// $2 limit + 1, $3 offset, $4 and $5 the key to start after.
constexpr auto list_projects_sql = paged_sql("projects WHERE organization_id = $1::uuid", no_estimate, "",
                                             sql(project_columns, rows_before("p.created_at, p.id", "$4", "$5"),
                                                 " ORDER BY p.created_at DESC, p.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_all_projects{"project_list", list_projects_sql};

constexpr auto read_project_sql = sql("SELECT", project_columns, "AND p.id = $2");
constexpr postgres::statement reread_project{"project_read", read_project_sql};

constexpr postgres::statement count_projects{"project_count",
                                             "SELECT count(*) FROM projects WHERE organization_id = $1"};
constexpr postgres::statement insert_named_project{
    "project_create", "INSERT INTO projects (id, organization_id, slug, name) VALUES ($1, $2, $3, $4)"};

// Runs before the statement that reads, whose snapshot is then taken after the wait for the lock.
constexpr postgres::statement lock_open_project{
    "project_lock_open",
    "SELECT FROM projects WHERE organization_id = $1 AND id = $2 AND archived_at IS NULL FOR NO KEY UPDATE"};
constexpr postgres::statement rename_project{"project_rename",
                                             "UPDATE projects SET name = $2, version = version + 1 WHERE id = $1"};

constexpr auto project_member_columns =
    sql(" m.user_id, u.name, u.email, u.email_verified_at, m.role, m.source, u.disabled_at IS NOT NULL, m.created_at"
        " FROM project_members m JOIN users u ON u.id = m.user_id WHERE m.project_id = $1 ");
constexpr auto list_project_members_sql =
    paged_sql("project_members WHERE project_id = $1::uuid", no_estimate, "",
              sql(project_member_columns, rows_behind("m.created_at, m.user_id", "$4", "$5"),
                  " ORDER BY m.created_at, m.user_id LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_members_of_project{"project_member_list", list_project_members_sql};
constexpr auto read_project_member_sql = sql("SELECT", project_member_columns, "AND m.user_id = $2");
constexpr postgres::statement reread_project_member{"project_member_read", read_project_member_sql};

// A removal of the member waits for this change, or this change for the removal.
constexpr postgres::statement share_organization_member{
    "project_member_share_of_organization",
    "SELECT FROM organization_members WHERE organization_id = $1 AND user_id = $2 FOR SHARE"};
constexpr postgres::statement lock_role_in_project{
    "project_member_lock",
    "SELECT role, source IS NOT NULL FROM project_members WHERE project_id = $1 AND user_id = $2 FOR UPDATE"};
constexpr postgres::statement write_role_in_project{"project_member_write", R"(
INSERT INTO project_members (project_id, user_id, role) VALUES ($1, $2, $3)
ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role)"};
constexpr postgres::statement end_role_in_project{
    "project_member_end", "DELETE FROM project_members WHERE project_id = $1 AND user_id = $2"};

shown_project as_project(postgres::row const& r, int first) {
  return {.id = r.id(first),
          .slug = std::string(r.text(first + 1)),
          .name = std::string(r.text(first + 2)),
          .archived_at = r.maybe_time(first + 3),
          .version = r.integer(first + 4),
          .created_at = r.time(first + 5),
          .organization = r.id(first + 6),
          .organization_slug = std::string(r.text(first + 7)),
          .organization_name = std::string(r.text(first + 8))};
}

project_member as_project_member(postgres::row const& r, int first) {
  return {.id = r.id(first),
          .name = std::string(r.text(first + 1)),
          .email = std::string(r.text(first + 2)),
          .email_verified_at = r.maybe_time(first + 3),
          .role = std::string(r.text(first + 4)),
          .source = r.maybe_text(first + 5),
          .disabled = r.boolean(first + 6),
          .created_at = r.time(first + 7)};
}

postgres::query project_query(uuid organization, uuid project) {
  return {reread_project, postgres::parameters(organization, project)};
}

audit_entry project_audit(std::string action, uuid organization, uuid project, audit_actor const& actor,
                          boost::json::object const& details) {
  return {.actor = actor,
          .organization = organization,
          .project = project,
          .action = "project." + std::move(action),
          .resource = "project",
          .resource_id = project,
          .details = boost::json::serialize(details)};
}

}  // namespace

task<page<shown_project>> project_store::list(uuid organization, page_request wanted, deadline until) {
  postgres::query ask{list_all_projects, postgres::parameters(organization, wanted.limit + 1, wanted.offset(),
                                                              wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<shown_project>(found, wanted, 2, as_project, created_key<shown_project>);
}

task<result<shown_project>> project_store::read(uuid organization, uuid project, deadline until) {
  return read_one<shown_project>(db_.run(project_query(organization, project), until), as_project);
}

task<change<shown_project>> project_store::create(uuid organization, std::string slug, std::string name,
                                                  audit_actor actor, deadline until) {
  using answer = change<shown_project>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> first{lock_organization_query(organization),
                                     {count_projects, postgres::parameters(organization)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (found[0].empty()) co_return answer(errc::not_found);
  if (most_ > 0 && found[1].front().integer(0) >= static_cast<std::int64_t>(most_))
    co_return answer(errc::project_limit_reached);
  uuid const id = uuid::generate_v7();
  std::vector<postgres::query> last{
      {insert_named_project, postgres::parameters(id, organization, slug, name)},
      audit_query(project_audit("created", organization, id, actor, {{"slug", slug}, {"name", name}})),
      project_query(organization, id)};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await tx.commit(std::move(last));
  if (!done && done.error().constraint == "projects_slug_unique")
    co_return answer(error(errc::name_taken, "A project of the organization has this slug."));
  co_return answer(as_project(settled(done)[2].front(), 0));
}

task<change<shown_project>> project_store::rename(editor agent, std::string name, deadline until) {
  using answer = change<shown_project>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> first{{lock_open_project, postgres::parameters(agent.organization, agent.project)},
                                     project_query(agent.organization, agent.project)};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (found[0].empty()) co_return answer(errc::not_found);
  if (!agent.expects(as_project(found[1].front(), 0).version)) co_return answer(errc::precondition_failed);
  auto const entry = project_audit("updated", agent.organization, agent.project, agent.actor, {{"name", name}});
  std::vector<postgres::query> changes{{rename_project, postgres::parameters(agent.project, name)}};
  postgres::rows const done = co_await commit_change(tx, std::move(changes), audit_query(entry),
                                                     project_query(agent.organization, agent.project));
  co_return answer(as_project(done.front(), 0));
}

task<change<shown_project>> project_store::set_archived(uuid organization, uuid project, bool archived,
                                                        audit_actor actor, deadline until) {
  using answer = change<shown_project>;
  // A project never changes its organisation.
  auto const known = co_await read(organization, project, until);
  if (!known) co_return answer(known.error());
  directory_store directory(db_);
  auto done = co_await directory.set_archived(project, archived, std::move(actor), until);
  if (!done.outcome) co_return answer(done.outcome.error(), std::move(done.touched));
  auto now = co_await read(organization, project, until);
  co_return answer(std::move(now), std::move(done.touched));
}

task<page<project_member>> project_store::members(uuid project, page_request wanted, deadline until) {
  postgres::query ask{list_members_of_project, postgres::parameters(project, wanted.limit + 1, wanted.offset(),
                                                                    wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<project_member>(found, wanted, 2, as_project_member, created_key<project_member>);
}

task<change<project_member>> project_store::set_member(editor agent, uuid user, role given, deadline until) {
  using answer = change<project_member>;
  std::string const name(to_string(given));
  postgres::parameters const whose(agent.project, user);
  postgres::unit_of_work tx = co_await db_.begin(until);
  // A project that is being archived searches for the people with a role under the organisation's lock.
  std::vector<postgres::query> first{lock_organization_query(agent.organization),
                                     {share_organization_member, postgres::parameters(agent.organization, user)},
                                     {lock_role_in_project, whose}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (found[1].empty()) co_return answer(no_member());
  bool const same = !found[2].empty() && found[2].front().text(0) == name;
  if (!same && !found[2].empty() && found[2].front().boolean(1)) co_return answer(errc::role_managed_by_provider);
  postgres::query const reread{reread_project_member, whose};
  if (same) {
    std::vector<postgres::query> ask{project_member_epochs_query(agent.project, user), reread};
    std::vector<postgres::rows> const now = settled(co_await tx.run(std::move(ask)));
    co_return answer(as_project_member(now[1].front(), 0), read_epochs(now[0]));
  }
  // The audit row comes first, because an administrator may lower the own role.
  std::vector<postgres::query> last{
      audit_query(member_audit("role_set", agent.organization, agent.project, user, agent.actor, {{"role", name}})),
      {write_role_in_project, postgres::parameters(agent.project, user, name)},
      bump_project_member_query(agent.project, user),
      reread};
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return answer(as_project_member(done[3].front(), 0), read_epochs(done[2]));
}

task<change<>> project_store::remove_member(editor agent, uuid user, deadline until) {
  postgres::parameters const whose(agent.project, user);
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::rows const held = settled(co_await tx.run(postgres::query{lock_role_in_project, whose}));
  if (held.empty()) {
    postgres::rows const epochs = settled(co_await tx.run(project_member_epochs_query(agent.project, user)));
    co_return change<>(error(errc::not_found, "The user has no role in the project."), read_epochs(epochs));
  }
  if (held.front().boolean(1)) co_return change<>(errc::role_managed_by_provider);
  boost::json::object const details{{"role", held.front().text(0)}};
  std::vector<postgres::query> last{
      audit_query(member_audit("role_removed", agent.organization, agent.project, user, agent.actor, details)),
      {end_role_in_project, whose},
      bump_project_member_query(agent.project, user)};
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return change<>(result<>(), read_epochs(done[2]));
}

}  // namespace svc::store
