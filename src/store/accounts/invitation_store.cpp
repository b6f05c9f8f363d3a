#include "svc/store/accounts/invitation_store.hpp"

#include "store/accounts/account_sql.hpp"
#include "store/accounts/invitation_sql.hpp"
#include "store/directory/member_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::store {
namespace {

/// Open invitations of an organisation; the trigger `invitations_bounded` has the same number.
constexpr std::int64_t most_open = 200;

// An expired invitation can be revoked, too, so that its address is free. One whose inviter could not give its role
// any more counts as expired: a renewal opens it again. While a mail waits for its first attempt nobody sees the
// reason, which may be that other organisations mail to the address.
constexpr auto invitation_columns = sql(R"( v.id, v.email, v.role,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'slug', p.slug, 'name', p.name, 'role', i.role)
                                  ORDER BY p.slug, p.id), '[]')
          FROM jsonb_to_recordset(v.projects) AS i (project uuid, role text)
          JOIN projects p ON p.id = i.project AND p.organization_id = v.organization_id AND p.archived_at IS NULL),
       CASE WHEN v.accepted_at IS NOT NULL THEN 'accepted' WHEN v.revoked_at < v.expires_at THEN 'revoked'
            WHEN v.expires_at <= clock_timestamp() OR NOT)",
                                        inviter_may_invite, R"( THEN 'expired' ELSE 'open' END,
       v.invited_by, u.name, v.created_at, v.expires_at, v.accepted_at, m.state, m.attempt::bigint, m.reason
  FROM invitations v
  JOIN users u ON u.id = v.invited_by
  LEFT JOIN LATERAL (
    SELECT CASE s.state WHEN 'sending' THEN 'waiting' ELSE s.state END AS state, s.attempt,
           CASE WHEN s.state = 'failed' OR s.attempt > 0 THEN s.reason END AS reason
      FROM system_mails s WHERE s.invitation_id = v.id ORDER BY s.id DESC LIMIT 1) m ON true
 WHERE v.organization_id = $1 )");

// $2 limit + 1, $3 offset, $4 and $5 the key to start after.
constexpr auto list_invitations_sql = paged_sql("invitations WHERE organization_id = $1::uuid", no_estimate, "",
                                                sql(invitation_columns, rows_before("v.created_at, v.id", "$4", "$5"),
                                                    " ORDER BY v.created_at DESC, v.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_invitations{"invitation_list", list_invitations_sql};

constexpr auto read_invitation_sql = sql("SELECT", invitation_columns, "AND v.id = $2");
constexpr postgres::statement reread_invitation{"invitation_read", read_invitation_sql};

constexpr postgres::statement find_projects{
    "invitation_find_projects",
    "SELECT id FROM projects WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND archived_at IS NULL"};

constexpr auto lock_renewed_sql = sql(R"(
SELECT v.role, v.email,
       (SELECT count(*) FROM invitations v WHERE v.organization_id = $1 AND v.id <> $2 AND)",
                                      invitation_is_open, R"()
  FROM invitations v
 WHERE v.organization_id = $1 AND v.id = $2 AND v.accepted_at IS NULL AND v.revoked_at IS NULL FOR UPDATE)");
constexpr postgres::statement lock_unaccepted{"invitation_lock_unaccepted", lock_renewed_sql};

// The invitation of an address that is neither accepted nor revoked, and then all that could still open it. A mail
// that is being sent is deleted as well; its secret is dead.
constexpr postgres::statement find_unaccepted{"invitation_find_unaccepted", R"(
SELECT id, role FROM invitations
 WHERE organization_id = $1 AND lower(email) = lower($2) AND accepted_at IS NULL AND revoked_at IS NULL)"};
constexpr postgres::statement delete_mails{"invitation_delete_mails", R"(
DELETE FROM system_mails
 WHERE invitation_id IN (SELECT v.id FROM invitations v WHERE v.organization_id = $1 AND v.id = ANY ($2::uuid[])))"};
constexpr postgres::statement delete_secrets{"invitation_delete_secrets", R"(
DELETE FROM one_time_secrets
 WHERE invitation_id IN (SELECT v.id FROM invitations v WHERE v.organization_id = $1 AND v.id = ANY ($2::uuid[])))"};
constexpr postgres::statement revoke_invitations{"invitation_revoke", R"(
UPDATE invitations SET revoked_at = clock_timestamp()
 WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND accepted_at IS NULL AND revoked_at IS NULL)"};

constexpr postgres::statement insert_invitation{"invitation_insert", R"(
INSERT INTO invitations (id, organization_id, email, role, projects, invited_by, expires_at)
VALUES ($1, $2, $3, $4, $5::text::jsonb, $6, clock_timestamp() + interval '7 days'))"};
constexpr postgres::statement extend_invitation{
    "invitation_extend",
    "UPDATE invitations SET expires_at = clock_timestamp() + interval '7 days', invited_by = coalesce($2, invited_by)"
    " WHERE id = $1"};
constexpr postgres::statement insert_copied_secret{
    "invitation_insert_secret",
    "INSERT INTO one_time_secrets (digest, invitation_id, mailed) VALUES ($1, $2, false)"};
constexpr postgres::statement insert_mail{"invitation_insert_mail", R"(
INSERT INTO system_mails (id, kind, recipient, invitation_id)
SELECT $1, 'invitation', v.email, v.id FROM invitations v WHERE v.id = $2)"};

shown_invitation as_invitation(postgres::row const& r, int first) {
  shown_invitation out{.id = r.id(first),
                       .email = std::string(r.text(first + 1)),
                       .role = std::string(r.text(first + 2)),
                       .projects = std::string(r.text(first + 3)),
                       .state = std::string(r.text(first + 4)),
                       .inviter = r.id(first + 5),
                       .inviter_name = std::string(r.text(first + 6)),
                       .created_at = r.time(first + 7),
                       .expires_at = r.time(first + 8),
                       .accepted_at = r.maybe_time(first + 9)};
  if (!r.is_null(first + 10))
    out.delivery = shown_delivery{.state = std::string(r.text(first + 10)),
                                  .attempts = r.integer(first + 11),
                                  .reason = r.maybe_text(first + 12)};
  return out;
}

postgres::query invitation_query(uuid organization, uuid id) {
  return {reread_invitation, postgres::parameters(organization, id)};
}

std::vector<uuid> projects_of(new_invitation const& wanted) {
  std::vector<uuid> out;
  for (auto const& each : wanted.projects) out.push_back(each.project);
  return out;
}

std::string projects_json(new_invitation const& wanted) {
  boost::json::array out;
  for (auto const& each : wanted.projects)
    out.push_back({{"project", each.project.to_string()}, {"role", to_string(each.given)}});
  return boost::json::serialize(out);
}

/// The secret that the inviter sees, or the mail that waits for its delivery.
postgres::query delivery_query(uuid invitation, std::optional<sha256_digest> const& copied) {
  if (copied) return {insert_copied_secret, postgres::parameters(byte_view(*copied), invitation)};
  return {insert_mail, postgres::parameters(uuid::generate_v7(), invitation)};
}

/// Returns the inviter with the right that this invitation takes: an owner's for an owner. The audit row asserts it,
/// so a role that was lost since the admission refuses the change.
audit_actor entitled_inviter(member_editor const& inviter, organization_role given) {
  auto out = inviter.actor;
  if (given == organization_role::org_owner && out.permit)
    out.permit->roles = {std::string(to_string(organization_role::org_owner))};
  return out;
}

error owners_invitation() {
  return {errc::permission_denied,
          "Only an owner of the organisation can replace, renew or revoke an invitation to become an owner."};
}

/// Returns the highest role of the invitations.
organization_role highest_invited(postgres::rows const& found, int role_column) {
  auto out = organization_role::none;
  for (int i = 0; i < found.size(); ++i) out = std::max(out, parse_organization_role(found[i].text(role_column)));
  return out;
}

/// Ends everything that can still open these invitations. Each statement comes in the order of the locks.
std::vector<postgres::query> ending_queries(uuid organization, std::vector<uuid> const& ids) {
  postgres::parameters const which(organization, ids);
  return {{revoke_invitations, which}, {delete_mails, which}, {delete_secrets, which}};
}

}  // namespace

bool invitation_store::is_full(std::int64_t members) const {
  return most_members_ > 0 && members >= static_cast<std::int64_t>(most_members_);
}

task<page<shown_invitation>> invitation_store::list(uuid organization, page_request wanted, deadline until) {
  postgres::query ask{list_invitations, postgres::parameters(organization, wanted.limit + 1, wanted.offset(),
                                                             wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return read_page<shown_invitation>(found, wanted, 2, as_invitation, created_key<shown_invitation>);
}

task<result<shown_invitation>> invitation_store::create(uuid organization, new_invitation wanted,
                                                        std::optional<sha256_digest> copied, member_editor inviter,
                                                        deadline until) {
  if (wanted.role > inviter.role) co_return errc::permission_denied;
  postgres::unit_of_work tx = co_await db_.begin(until);
  auto const projects = projects_of(wanted);
  std::vector<postgres::query> first{lock_organization_query(organization),
                                     {find_projects, postgres::parameters(organization, projects)},
                                     find_member_query(organization, wanted.email),
                                     count_members_query(organization),
                                     {find_unaccepted, postgres::parameters(organization, wanted.email)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (found[0].empty()) co_return errc::not_found;
  if (auto wrong =
          check_known(projects, found[1], "/projects/", "/projectId", "is not a project of the organization");
      !wrong.empty())
    co_return error(errc::validation_failed, {}, std::move(wrong));
  if (!found[2].empty()) co_return errc::already_member;
  if (is_full(found[3].front().integer(0))) co_return errc::member_limit_reached;

  uuid const id = uuid::generate_v7();
  auto const replaced = read_ids(found[4]);
  auto const ended = highest_invited(found[4], 1);
  if (ended > inviter.role) co_return owners_invitation();
  auto const actor = entitled_inviter(inviter, std::max(wanted.role, ended));
  std::vector<postgres::query> last;
  if (!replaced.empty()) last = ending_queries(organization, replaced);
  for (uuid const& each : replaced)
    last.push_back(audit_query(
        invitation_audit("revoked", organization, each, actor, R"({"replacedBy":")" + id.to_string() + R"("})")));
  last.push_back({insert_invitation, postgres::parameters(id, organization, wanted.email, to_string(wanted.role),
                                                          projects_json(wanted), actor.user)});
  last.push_back(delivery_query(id, copied));
  boost::json::object const details{
      {"role", to_string(wanted.role)}, {"projects", projects.size()}, {"copied", copied.has_value()}};
  last.push_back(audit_query(invitation_audit("created", organization, id, actor, boost::json::serialize(details))));
  last.push_back(invitation_query(organization, id));
  postgres::outcome<std::vector<postgres::rows>> const done = co_await tx.commit(std::move(last));
  if (!done && done.error().constraint == "invitations_open_bound") co_return errc::invitation_limit_reached;
  co_return as_invitation(settled(done).back().front(), 0);
}

task<result<shown_invitation>> invitation_store::renew(uuid organization, uuid id,
                                                       std::optional<sha256_digest> copied, member_editor inviter,
                                                       deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::parameters const which(organization, std::vector<uuid>{id});
  std::vector<postgres::query> first{lock_organization_query(organization),
                                     {lock_unaccepted, postgres::parameters(organization, id)},
                                     count_members_query(organization)};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (found[1].empty()) co_return errc::not_found;
  postgres::row const held = found[1].front();
  auto const role = parse_organization_role(held.text(0));
  if (role > inviter.role) co_return owners_invitation();
  if (held.integer(2) >= most_open) co_return errc::invitation_limit_reached;
  if (is_full(found[2].front().integer(0))) co_return errc::member_limit_reached;
  postgres::rows const member = settled(co_await tx.run(find_member_query(organization, held.text(1))));
  if (!member.empty()) co_return errc::already_member;

  boost::json::object const details{{"copied", copied.has_value()}};
  std::vector<postgres::query> last{
      {delete_mails, which},
      {delete_secrets, which},
      {extend_invitation, postgres::parameters(id, inviter.actor.user)},
      delivery_query(id, copied),
      audit_query(invitation_audit("renewed", organization, id, entitled_inviter(inviter, role),
                                   boost::json::serialize(details))),
      invitation_query(organization, id)};
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return as_invitation(done.back().front(), 0);
}

task<result<>> invitation_store::revoke(uuid organization, uuid id, member_editor revoker, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> first{lock_organization_query(organization),
                                     {lock_unaccepted, postgres::parameters(organization, id)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (found[1].empty()) co_return errc::not_found;
  auto const role = highest_invited(found[1], 0);
  if (role > revoker.role) co_return owners_invitation();
  auto last = ending_queries(organization, {id});
  last.push_back(audit_query(invitation_audit("revoked", organization, id, entitled_inviter(revoker, role))));
  settled(co_await tx.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
