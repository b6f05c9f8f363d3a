#include "svc/store/accounts/member_store.hpp"

#include "store/accounts/account_sql.hpp"
#include "store/directory/member_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace svc::store {
namespace {

// An owner's role counts as given by a person, whoever gave it.
constexpr auto member_source = sql(" CASE WHEN m.role <> 'org_owner' THEN m.source END ");
constexpr auto member_columns =
    sql(" m.user_id, u.name, u.email, u.email_verified_at, m.role,", member_source,
        ", u.disabled_at IS NOT NULL,"
        " (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name, 'role', r.role,"
        " 'source', r.source) ORDER BY p.slug, p.id), '[]')"
        " FROM project_members r JOIN projects p ON p.id = r.project_id"
        " WHERE r.user_id = m.user_id AND p.organization_id = m.organization_id AND p.archived_at IS NULL),"
        " m.created_at ");
constexpr auto from_members = sql(" FROM organization_members m JOIN users u ON u.id = m.user_id ");

// $2 limit + 1, $3 offset, $4 and $5 the key to start after.
constexpr auto list_members_sql = paged_sql(
    "organization_members WHERE organization_id = $1::uuid", no_estimate, "",
    sql(member_columns, from_members, "WHERE m.organization_id = $1",
        rows_behind("m.created_at, m.user_id", "$4", "$5"), " ORDER BY m.created_at, m.user_id LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_members{"member_list", list_members_sql};

constexpr auto read_member_sql =
    sql("SELECT", member_columns, from_members, "WHERE m.organization_id = $1 AND m.user_id = $2");
constexpr postgres::statement reread_member{"member_read", read_member_sql};

// $3 limit + 1, $4 offset, $5 and $6 the key to start after.
constexpr auto list_impact_sql =
    paged_sql(sql("tokens t WHERE", is_stopped_token), no_estimate, "",
              sql(" t.id, t.kind, t.name, t.start, t.project_id, o.name, t.job_id, t.created_at"
                  " FROM tokens t JOIN projects o ON o.id = t.project_id WHERE",
                  is_stopped_token, rows_behind("t.created_at, t.id", "$5", "$6"),
                  " ORDER BY t.created_at, t.id LIMIT $3 OFFSET $4"));
constexpr postgres::statement list_impact{"member_impact", list_impact_sql};

constexpr postgres::statement find_membership{
    "member_find", "SELECT FROM organization_members WHERE organization_id = $1 AND user_id = $2"};

constexpr auto lock_membership_sql =
    sql("SELECT m.role,", member_source,
        "IS NOT NULL FROM organization_members m WHERE m.organization_id = $1 AND m.user_id = $2 FOR UPDATE");
constexpr postgres::statement lock_membership{"member_lock", lock_membership_sql};

// If the user is an owner: the other owners who can sign in. Nobody bans them until COMMIT. This lock comes before
// that of the organisation, as in a sign-in.
constexpr postgres::statement lock_other_owners{"member_lock_owners", R"(
SELECT u.id FROM users u
 WHERE u.disabled_at IS NULL
   AND u.id IN (SELECT m.user_id FROM organization_members m
                 WHERE m.organization_id = $1 AND m.role = 'org_owner' AND m.user_id <> $2)
   AND EXISTS (SELECT FROM organization_members h
                WHERE h.organization_id = $1 AND h.user_id = $2 AND h.role = 'org_owner')
 ORDER BY u.id FOR SHARE)"};

constexpr postgres::statement count_owners{"member_owners", R"(
SELECT count(*) FROM organization_members
 WHERE organization_id = $1 AND role = 'org_owner' AND user_id = ANY ($2::uuid[]))"};

constexpr postgres::statement update_member_role{
    "member_set_role", "UPDATE organization_members SET role = $3 WHERE organization_id = $1 AND user_id = $2"};

shown_member as_member(postgres::row const& r, int first) {
  return {.id = r.id(first),
          .name = std::string(r.text(first + 1)),
          .email = std::string(r.text(first + 2)),
          .email_verified_at = r.maybe_time(first + 3),
          .role = std::string(r.text(first + 4)),
          .source = r.maybe_text(first + 5),
          .disabled = r.boolean(first + 6),
          .projects = std::string(r.text(first + 7)),
          .created_at = r.time(first + 8)};
}

impacted_token as_impacted(postgres::row const& r, int first) {
  return {.id = r.id(first),
          .kind = parse_token_kind(r.text(first + 1)).value(),
          .name = std::string(r.text(first + 2)),
          .start = std::string(r.text(first + 3)),
          .project = r.id(first + 4),
          .project_name = std::string(r.text(first + 5)),
          .job = r.maybe_id(first + 6),
          .created_at = r.time(first + 7)};
}

/// Locks the other owners, the organisation and the member, and reads what a change depends on; `more` is run last,
/// and its results start at index 3. Each statement sees what those before it have waited for. Somebody who has
/// become an owner since the first lock does not count.
task<std::vector<postgres::rows>> lock_member(postgres::unit_of_work& tx, uuid organization, uuid user,
                                              std::vector<postgres::query> more = {}) {
  postgres::parameters const whose(organization, user);
  postgres::query owners{lock_other_owners, whose};
  auto const others = read_ids(settled(co_await tx.run(std::move(owners))));
  std::vector<postgres::query> locks{lock_organization_query(organization),
                                     {lock_membership, whose},
                                     {count_owners, postgres::parameters(organization, others)}};
  std::ranges::move(more, std::back_inserter(locks));
  co_return settled(co_await tx.run(std::move(locks)));
}

/// Reads the results of `lock_member`; nothing: not a member.
std::optional<held_membership> read_held_membership(std::vector<postgres::rows> const& found) {
  if (found[1].empty()) return std::nullopt;
  postgres::row const r = found[1].front();
  return held_membership{
      .role = parse_organization_role(r.text(0)), .managed = r.boolean(1), .others = found[2].front().integer(0)};
}

/// Returns the actor with the right that this change takes: an owner's, if an owner is set or removed. The audit row
/// asserts it, so a role that was lost since the admission refuses the change.
audit_actor entitled(member_editor const& editor, organization_role held, organization_role wanted) {
  auto out = editor.actor;
  bool const of_owners = held == organization_role::org_owner || wanted == organization_role::org_owner;
  if (of_owners && out.permit) out.permit->roles = {std::string(to_string(organization_role::org_owner))};
  return out;
}

}  // namespace

std::optional<errc> refusal_of_member_change(organization_role agent, held_membership const& held,
                                             organization_role wanted) {
  constexpr auto owner = organization_role::org_owner;
  if ((held.role == owner || wanted == owner) && agent != owner) return errc::permission_denied;
  if (wanted == held.role) return std::nullopt;
  if (held.managed) return errc::role_managed_by_provider;
  if (held.role == owner && held.others == 0) return errc::last_owner;
  return std::nullopt;
}

task<page<shown_member>> member_store::list(uuid organization, page_request wanted, deadline until) {
  postgres::query ask{list_members, postgres::parameters(organization, wanted.limit + 1, wanted.offset(),
                                                         wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<shown_member>(found, wanted, 2, as_member, created_key<shown_member>);
}

task<result<member_impact>> member_store::impact(uuid organization, uuid user, page_request wanted, deadline until) {
  std::vector<postgres::query> ask{
      {find_membership, postgres::parameters(organization, user)},
      {list_impact, postgres::parameters(organization, user, wanted.limit + 1, wanted.offset(), wanted.after_time(),
                                         wanted.after_id())},
      known_runners_query(organization, user)};
  std::vector<postgres::rows> const found = settled(co_await db_.run(std::move(ask), until));
  if (found[0].empty()) co_return no_member();
  co_return member_impact{
      .stopped = read_page<impacted_token>(found[1], wanted, 2, as_impacted, created_key<impacted_token>),
      .runner_tokens = read_known_runners(found[2])};
}

task<change<shown_member>> member_store::set_role(uuid organization, uuid user, organization_role role,
                                                  member_editor editor, deadline until) {
  using answer = change<shown_member>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::rows> const found = co_await lock_member(tx, organization, user);
  auto const held = read_held_membership(found);
  if (!held) {
    postgres::rows const epochs = settled(co_await tx.run(member_epochs_query(organization, user)));
    co_return answer(no_member(), read_epochs(epochs));
  }
  if (auto const refusal = refusal_of_member_change(editor.role, *held, role)) co_return answer(*refusal);
  postgres::query const reread{reread_member, postgres::parameters(organization, user)};
  if (held->role == role) {
    std::vector<postgres::query> same{member_epochs_query(organization, user), reread};
    std::vector<postgres::rows> const now = settled(co_await tx.run(std::move(same)));
    co_return answer(as_member(now[1].front(), 0), read_epochs(now[0]));
  }
  std::string const name(to_string(role));
  boost::json::object const details{{"role", name}, {"before", to_string(held->role)}};
  // The audit row comes first, because a member may lower the own role.
  std::vector<postgres::query> last{audit_query(member_audit("role_set", organization, std::nullopt, user,
                                                             entitled(editor, held->role, role), details)),
                                    {update_member_role, postgres::parameters(organization, user, name)},
                                    bump_member_query(organization, user),
                                    reread};
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return answer(as_member(done[3].front(), 0), read_epochs(done[2]));
}

task<change<>> member_store::remove(uuid organization, uuid user, member_editor editor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> tokens{list_stopped_query(organization, user)};
  std::vector<postgres::rows> const found = co_await lock_member(tx, organization, user, std::move(tokens));
  auto const held = read_held_membership(found);
  if (!held) {
    postgres::rows const epochs = settled(co_await tx.run(member_epochs_query(organization, user)));
    co_return change<>(no_member(), read_epochs(epochs));
  }
  if (auto const refusal = refusal_of_member_change(editor.role, *held, organization_role::none))
    co_return change<>(*refusal);
  // The lock of the membership lets nobody create tokens for it, so the list is whole. The audit rows come first,
  // because members may remove themselves.
  auto const actor = entitled(editor, held->role, organization_role::none);
  auto const stopped = read_stopped(found[3]);
  boost::json::object const details{{"role", to_string(held->role)}, {"tokens", stopped.size()}};
  std::vector<postgres::query> last{
      audit_query(member_audit("removed", organization, std::nullopt, user, actor, details))};
  for (auto const& each : stopped) last.push_back(audit_query(stopped_audit(each, organization, actor)));
  auto const removed = last.size();
  for (auto& each : removal_queries(organization, user)) last.push_back(std::move(each));
  auto const bumped = last.size();
  last.push_back(bump_member_query(organization, user));
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  note_lost_roles(actor, user, done[removed + 1]);
  co_return change<>(result<>(), read_epochs(done[bumped]));
}

}  // namespace svc::store
