#include "svc/store/directory/directory_store.hpp"

#include "store/directory/member_sql.hpp"
#include "store/monitors/interrupt.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/query.hpp"

#include <boost/json.hpp>

#include <array>

namespace svc::store {

namespace {

/// The subjects that a change of the directory touches, as two statements of its transaction: one bumps their epochs,
/// the other only reads them. Both search after the change, so that they find keys created meanwhile.
struct touched_subjects {
  postgres::query bump;
  postgres::query read;
};

consteval auto bump_subjects(auto const& subjects) {
  return sql("SELECT subject_id, subject_epoch FROM bump_subjects(ARRAY(", subjects, "))");
}
consteval auto read_subjects(auto const& subjects) {
  return sql("SELECT id, epoch FROM subjects WHERE id = ANY (ARRAY(", subjects, ")) ORDER BY id");
}
constexpr auto user_and_keys =
    sql("SELECT $1::uuid UNION SELECT t.id FROM tokens t WHERE t.owner_id = $1 AND t.revoked_at IS NULL AND t.job_id"
        " IS NOT NULL");

constexpr auto user_and_keys_in_organization =
    sql(user_and_keys, " AND t.project_id IN (SELECT p.id FROM projects p WHERE p.organization_id = $2)");
constexpr auto bump_in_organization_sql = bump_subjects(user_and_keys_in_organization);
constexpr postgres::statement bump_in_organization{"subjects_bump_in_organization", bump_in_organization_sql};
constexpr auto read_in_organization_sql = read_subjects(user_and_keys_in_organization);
constexpr postgres::statement read_in_organization{"subjects_read_in_organization", read_in_organization_sql};
constexpr auto user_and_keys_in_project = sql(user_and_keys, " AND t.project_id = $2");
constexpr auto bump_in_project_sql = bump_subjects(user_and_keys_in_project);
constexpr postgres::statement bump_in_project{"subjects_bump_in_project", bump_in_project_sql};
constexpr auto read_in_project_sql = read_subjects(user_and_keys_in_project);
constexpr postgres::statement read_in_project{"subjects_read_in_project", read_in_project_sql};
constexpr auto bump_everywhere_sql = bump_subjects(user_and_keys);
constexpr postgres::statement bump_everywhere{"subjects_bump_everywhere", bump_everywhere_sql};
constexpr auto read_everywhere_sql = read_subjects(user_and_keys);
constexpr postgres::statement read_everywhere{"subjects_read_everywhere", read_everywhere_sql};

constexpr auto owners_and_keys =
    sql("SELECT CASE WHEN t.job_id IS NULL THEN t.owner_id ELSE t.id END FROM tokens t WHERE t.project_id = $1"
        " AND t.revoked_at IS NULL UNION SELECT m.user_id FROM project_members m WHERE m.project_id = $1"
        " UNION SELECT o.user_id FROM organization_members o JOIN projects p ON p.organization_id = o.organization_id"
        " WHERE p.id = $1 AND o.role IN ('org_owner', 'org_admin')");
constexpr auto bump_of_project_sql = bump_subjects(owners_and_keys);
constexpr postgres::statement bump_of_project{"subjects_bump_of_project", bump_of_project_sql};
constexpr auto read_of_project_sql = read_subjects(owners_and_keys);
constexpr postgres::statement read_of_project{"subjects_read_of_project", read_of_project_sql};

touched_subjects both(postgres::statement bump, postgres::statement read, postgres::parameters parameters) {
  return {{bump, parameters}, {read, parameters}};
}

/// The user and the user's trigger keys in one organisation, in one project, or everywhere.
touched_subjects subjects_in_organization(uuid user, uuid organization) {
  return both(bump_in_organization, read_in_organization, postgres::parameters(user, organization));
}

touched_subjects subjects_in_project(uuid user, uuid project) {
  return both(bump_in_project, read_in_project, postgres::parameters(user, project));
}

touched_subjects subjects_everywhere(uuid user) {
  return both(bump_everywhere, read_everywhere, postgres::parameters(user));
}

/// The owners of all unrevoked tokens of the project, all its unrevoked trigger keys, and everybody with a role in
/// it, who may have a session.
touched_subjects subjects_of_project(uuid project) {
  return both(bump_of_project, read_of_project, postgres::parameters(project));
}

/// Ends a change: runs the remaining statements, raises the epochs, writes the audit row and commits. If nothing
/// changes, only reads the current epochs.
task<std::vector<subject_epoch>> conclude(postgres::unit_of_work& tx, bool changes, std::vector<postgres::query> last,
                                          touched_subjects subjects, audit_entry entry) {
  if (!changes) {
    postgres::rows const read = settled(co_await tx.run(std::move(subjects.read)));
    co_return read_epochs(read);
  }
  auto const bumped = last.size();
  last.push_back(std::move(subjects.bump));
  last.push_back(audit_query(entry));
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return read_epochs(done[bumped]);
}

// Returns no row if the member already has this role.
constexpr postgres::statement set_organization_member{"organization_member_set", R"(
INSERT INTO organization_members AS m (organization_id, user_id, role) VALUES ($1, $2, $3)
ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role WHERE m.role <> excluded.role
RETURNING m.role)"};
constexpr postgres::statement set_project_member{"project_member_set", R"(
INSERT INTO project_members AS m (project_id, user_id, role) VALUES ($1, $2, $3)
ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role WHERE m.role <> excluded.role
RETURNING m.role)"};
constexpr postgres::statement delete_project_member{
    "project_member_delete", "DELETE FROM project_members WHERE project_id = $1 AND user_id = $2 RETURNING role"};

// Taken first by a change that gives a role, and by one that archives the project: the search of the latter for the
// people with a role then sees the role, or the next read of the person sees the archived project.
constexpr postgres::statement lock_organization_of{"project_lock_organization", R"(
SELECT FROM organizations WHERE id = (SELECT organization_id FROM projects WHERE id = $1) FOR NO KEY UPDATE)"};

/// Locks the membership, so that removing the member and giving the member a role in a project wait for each other.
constexpr postgres::statement share_membership{"project_member_share", R"(
SELECT m.organization_id FROM organization_members m
 WHERE m.user_id = $2 AND m.organization_id = (SELECT organization_id FROM projects WHERE id = $1) FOR SHARE)"};
constexpr postgres::statement organization_of{"project_organization",
                                              "SELECT organization_id FROM projects WHERE id = $1"};

template <std::size_t N>
result<> check_role(std::string const& role, std::array<std::string_view, N> const& known) {
  std::string all;
  for (std::string_view const name : known) {
    if (name == role) return {};
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  return error(errc::validation_failed, "\"" + role + "\" is not one of " + all + ".");
}

constexpr std::array<std::string_view, 3> organization_roles{"org_owner", "org_admin", "org_member"};
constexpr std::array<std::string_view, 3> project_roles{"project_admin", "project_editor", "project_viewer"};

// One row with the state of the switch, if the user or project exists. Taken first, the lock waits for creations that
// rely on the row, so that the search for subjects sees what they created.
constexpr postgres::statement lock_user{"user_lock",
                                        "SELECT disabled_at IS NOT NULL FROM users WHERE id = $1 FOR NO KEY UPDATE"};
constexpr postgres::statement switch_user{
    "user_switch", "UPDATE users SET disabled_at = CASE WHEN $2 THEN clock_timestamp() END WHERE id = $1"};
constexpr postgres::statement find_without_owner{"organizations_without_owner", R"(
SELECT o.slug FROM organization_members m JOIN organizations o ON o.id = m.organization_id
 WHERE m.user_id = $1 AND m.role = 'org_owner'
   AND NOT EXISTS (SELECT FROM organization_members c JOIN users u ON u.id = c.user_id
                    WHERE c.organization_id = m.organization_id AND c.role = 'org_owner' AND u.disabled_at IS NULL)
 ORDER BY o.slug)"};
constexpr postgres::statement lock_archived{
    "project_lock_archived",
    "SELECT archived_at IS NOT NULL, organization_id FROM projects WHERE id = $1 FOR NO KEY UPDATE"};
constexpr postgres::statement switch_project{
    "project_switch", "UPDATE projects SET archived_at = CASE WHEN $2 THEN clock_timestamp() END WHERE id = $1"};

}  // namespace

postgres::query bump_member_query(uuid organization, uuid user) {
  return subjects_in_organization(user, organization).bump;
}

postgres::query member_epochs_query(uuid organization, uuid user) {
  return subjects_in_organization(user, organization).read;
}

postgres::query bump_project_member_query(uuid project, uuid user) {
  return subjects_in_project(user, project).bump;
}

postgres::query project_member_epochs_query(uuid project, uuid user) {
  return subjects_in_project(user, project).read;
}

task<change<>> directory_store::set_organization_role(uuid organization, uuid user, std::string role,
                                                      audit_actor actor, deadline until) {
  if (auto ok = check_role(role, organization_roles); !ok) co_return change<>(ok.error());
  postgres::unit_of_work tx = co_await db_.begin(until);
  // A changing policy and an archiving project search for the members under this lock.
  settled(co_await tx.run(lock_organization_query(organization)));
  postgres::query set{set_organization_member, postgres::parameters(organization, user, role)};
  postgres::outcome<postgres::rows> const done = co_await tx.run(std::move(set));
  if (!done && done.error().foreign_key_violation()) co_return change<>(errc::not_found);
  audit_entry entry = member_audit("role_set", organization, std::nullopt, user, actor, {{"role", role}});
  bool const changed = !settled(done).empty();
  co_return change<>(
      result<>(), co_await conclude(tx, changed, {}, subjects_in_organization(user, organization), std::move(entry)));
}

task<change<>> directory_store::set_project_role(uuid project, uuid user, std::string role, audit_actor actor,
                                                 deadline until) {
  if (auto ok = check_role(role, project_roles); !ok) co_return change<>(ok.error());
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> locks{{lock_organization_of, postgres::parameters(project)},
                                     {share_membership, postgres::parameters(project, user)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(locks)));
  auto const& member = found[1];
  if (member.empty()) co_return change<>(no_member());
  postgres::query set{set_project_member, postgres::parameters(project, user, role)};
  postgres::rows const done = settled(co_await tx.run(std::move(set)));
  audit_entry entry = member_audit("role_set", member.front().id(0), project, user, actor, {{"role", role}});
  co_return change<>(result<>(),
                     co_await conclude(tx, !done.empty(), {}, subjects_in_project(user, project), std::move(entry)));
}

task<change<>> directory_store::remove_project_role(uuid project, uuid user, audit_actor actor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> batch{{organization_of, postgres::parameters(project)},
                                     {delete_project_member, postgres::parameters(project, user)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(batch)));
  if (found[0].empty()) co_return change<>(errc::not_found);
  bool const changed = !found[1].empty();
  std::string const role(changed ? found[1].front().text(0) : std::string_view());
  audit_entry entry = member_audit("role_removed", found[0].front().id(0), project, user, actor, {{"role", role}});
  std::vector<subject_epoch> touched =
      co_await conclude(tx, changed, {}, subjects_in_project(user, project), std::move(entry));
  if (!changed)
    co_return change<>(error(errc::not_found, "The user has no role in the project."), std::move(touched));
  co_return change<>(result<>(), std::move(touched));
}

task<change<std::vector<stopped_token>>> directory_store::remove_member(uuid organization, uuid user,
                                                                        audit_actor actor, deadline until) {
  using answer = change<std::vector<stopped_token>>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  // Members who change owners count them under this lock. Then the membership is deleted: this waits for creations
  // that hold it, and later statements see their tokens.
  settled(co_await tx.run(lock_organization_query(organization)));
  std::vector<postgres::rows> const found = settled(co_await tx.run(removal_queries(organization, user)));
  touched_subjects subjects = subjects_in_organization(user, organization);
  if (found[0].empty()) co_return answer(no_member(), co_await conclude(tx, false, {}, std::move(subjects), {}));

  note_lost_roles(actor, user, found[1]);
  std::vector<stopped_token> stopped = read_stopped(found[2]);
  std::vector<postgres::query> last{std::move(subjects.bump)};
  last.push_back(audit_query(member_audit("removed", organization, std::nullopt, user, actor,
                                          {{"role", found[0].front().text(0)}, {"tokens", stopped.size()}})));
  for (stopped_token const& t : stopped) last.push_back(audit_query(stopped_audit(t, organization, actor)));
  std::vector<postgres::rows> const ended = settled(co_await tx.commit(std::move(last)));
  co_return answer(std::move(stopped), read_epochs(ended[0]));
}

task<removal_impact> directory_store::impact_of_removal(uuid organization, uuid user, deadline until) {
  std::vector<postgres::query> ask{list_stopped_query(organization, user), known_runners_query(organization, user)};
  std::vector<postgres::rows> const found = settled(co_await db_.run(std::move(ask), until));
  co_return removal_impact{.stopped = read_stopped(found[0]), .runner_tokens = read_known_runners(found[1])};
}

task<change<>> directory_store::set_banned(uuid user, bool banned, audit_actor actor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::query lock{lock_user, postgres::parameters(user)};
  postgres::rows const held = settled(co_await tx.run(std::move(lock)));
  if (held.empty()) co_return change<>(errc::not_found);
  audit_entry entry{
      .actor = actor, .action = banned ? "user.banned" : "user.unbanned", .resource = "user", .resource_id = user};
  co_return change<>(result<>(), co_await conclude(tx, held.front().boolean(0) != banned,
                                                   {{switch_user, postgres::parameters(user, banned)}},
                                                   subjects_everywhere(user), std::move(entry)));
}

task<std::vector<std::string>> directory_store::without_owner(uuid user, deadline until) {
  postgres::query ask{find_without_owner, postgres::parameters(user)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<std::string> out;
  for (int i = 0; i < found.size(); ++i) out.emplace_back(found[i].text(0));
  co_return out;
}

task<change<>> directory_store::set_archived(uuid project, bool archived, audit_actor actor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> locks{{lock_organization_of, postgres::parameters(project)},
                                     {lock_archived, postgres::parameters(project)}};
  std::vector<postgres::rows> const locked = settled(co_await tx.run(std::move(locks)));
  auto const& held = locked[1];
  if (held.empty()) co_return change<>(errc::not_found);
  postgres::row const r = held.front();
  audit_entry entry{.actor = actor,
                    .organization = r.id(1),
                    .project = project,
                    .action = archived ? "project.archived" : "project.unarchived",
                    .resource = "project",
                    .resource_id = project};
  bool const changes = r.boolean(0) != archived;
  std::vector<postgres::query> last;
  if (changes) last = co_await interrupt_monitors_of(tx, project, !archived);
  last.push_back({switch_project, postgres::parameters(project, archived)});
  co_return change<>(result<>(),
                     co_await conclude(tx, changes, std::move(last), subjects_of_project(project), std::move(entry)));
}

}  // namespace svc::store
