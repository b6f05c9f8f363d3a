#include "store/directory/audit_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/tokens/subject_sql.hpp"
#include "svc/store/directory_store.hpp"

namespace svc::store {

namespace {

// One row when the thing exists; its second column tells whether the switch moved. The lock comes first, so
// that a creation that relies on the row has ended before the subjects are searched for.
constexpr postgres::statement lock_user{"user_lock",
                                        "SELECT disabled_at IS NOT NULL FROM users WHERE id = $1 FOR NO KEY UPDATE"};
constexpr postgres::statement switch_user{
    "user_switch", "UPDATE users SET disabled_at = CASE WHEN $2 THEN clock_timestamp() END WHERE id = $1"};
constexpr postgres::statement lock_archived{
    "project_lock_archived",
    "SELECT archived_at IS NOT NULL, organization_id FROM projects WHERE id = $1 FOR NO KEY UPDATE"};
constexpr postgres::statement switch_project{
    "project_switch", "UPDATE projects SET archived_at = CASE WHEN $2 THEN clock_timestamp() END WHERE id = $1"};

/// Switches, then raises the epochs, then writes the audit row; nothing but a reading when it stands so already.
task<std::vector<subject_epoch>> move(postgres::unit_of_work& tx, bool changes, postgres::query change_row,
                                      touched_subjects who, audit_entry entry) {
  if (!changes) {
    postgres::rows const read = settled(co_await tx.run(std::move(who.read)));
    co_return read_epochs(read);
  }
  std::vector<postgres::query> last{std::move(change_row), std::move(who.bump), audit_query(entry)};
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return read_epochs(done[1]);
}

}  // namespace

task<change<>> directory_store::set_banned(uuid user, bool banned, audit_actor by, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::query lock{lock_user, postgres::parameters(user)};
  postgres::rows const held = settled(co_await tx.run(std::move(lock)));
  if (held.empty()) co_return change<>(errc::not_found);
  audit_entry entry{
      .actor = by, .action = banned ? "user.banned" : "user.unbanned", .resource = "user", .resource_id = user};
  co_return change<>(result<>(), co_await move(tx, held.front().boolean(0) != banned,
                                               {switch_user, postgres::parameters(user, banned)},
                                               subjects_everywhere(user), std::move(entry)));
}

task<change<>> directory_store::set_archived(uuid project, bool archived, audit_actor by, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::query lock{lock_archived, postgres::parameters(project)};
  postgres::rows const held = settled(co_await tx.run(std::move(lock)));
  if (held.empty()) co_return change<>(errc::not_found);
  postgres::row const r = held.front();
  audit_entry entry{.actor = by,
                    .organization = r.id(1),
                    .project = project,
                    .action = archived ? "project.archived" : "project.unarchived",
                    .resource = "project",
                    .resource_id = project};
  co_return change<>(result<>(), co_await move(tx, r.boolean(0) != archived,
                                               {switch_project, postgres::parameters(project, archived)},
                                               subjects_of_project(project), std::move(entry)));
}

}  // namespace svc::store
