#include "store/accounts/invitation_sql.hpp"

#include "store/sql/settled.hpp"

namespace svc::store {
namespace {

// A statement of its own before the next ones, whose snapshots must be newer than the lock.
constexpr postgres::statement lock_inviting_organization{"invitation_lock_organization", R"(
SELECT FROM organizations o
 WHERE o.id = (SELECT v.organization_id FROM one_time_secrets s JOIN invitations v ON v.id = s.invitation_id
                WHERE s.digest = $1)
   FOR NO KEY UPDATE)"};

constexpr auto lock_open_invitation_sql =
    sql(R"(
SELECT v.id, v.organization_id, v.role, v.projects::text, v.email, s.mailed, lower(v.email) = lower($2)
  FROM one_time_secrets s JOIN invitations v ON v.id = s.invitation_id JOIN organization_members g ON)",
        gives_invited_role, "WHERE s.digest = $1 AND", invitation_is_open, "FOR UPDATE OF v FOR SHARE OF g");
constexpr postgres::statement lock_open_invitation{"invitation_lock", lock_open_invitation_sql};

constexpr postgres::statement list_invited_projects{"invitation_projects", R"(
SELECT p.id, i.role
  FROM jsonb_to_recordset($1::text::jsonb) AS i (project uuid, role text)
  JOIN projects p ON p.id = i.project AND p.organization_id = $2 AND p.archived_at IS NULL)"};

constexpr postgres::statement accept_locked_invitation{
    "invitation_accept", "UPDATE invitations SET accepted_at = clock_timestamp(), accepted_by = $2 WHERE id = $1"};

constexpr postgres::statement count_members{"organization_count_members",
                                            "SELECT count(*) FROM organization_members WHERE organization_id = $1"};

constexpr postgres::statement find_member_of_address{"invitation_find_member", R"(
SELECT FROM organization_members m JOIN users u ON u.id = m.user_id
 WHERE m.organization_id = $1 AND lower(u.email) = lower($2))"};

constexpr postgres::statement verify_email{
    "user_verify_email",
    "UPDATE users SET email_verified_at = coalesce(email_verified_at, clock_timestamp()) WHERE id = $1"};

}  // namespace

postgres::query lock_inviting_organization_query(byte_view secret) {
  return {lock_inviting_organization, postgres::parameters(secret)};
}

postgres::query lock_invitation_query(byte_view secret, std::string_view email) {
  return {lock_open_invitation, postgres::parameters(secret, email)};
}

locked_invitation read_locked_invitation(postgres::row const& found) {
  return {.id = found.id(0),
          .organization = found.id(1),
          .role = std::string(found.text(2)),
          .projects = std::string(found.text(3)),
          .email = std::string(found.text(4)),
          .mailed = found.boolean(5),
          .fits = found.boolean(6)};
}

task<std::vector<role_change>> invited_roles(postgres::unit_of_work& tx, locked_invitation invitation) {
  auto const organization = invitation.organization;
  std::vector<role_change> out{
      {.kind = role_change_kind::grant, .place = {.organization = organization, .role = invitation.role}}};
  postgres::query ask{list_invited_projects, postgres::parameters(invitation.projects, organization)};
  postgres::rows const found = settled(co_await tx.run(std::move(ask)));
  for (int i = 0; i < found.size(); ++i)
    out.push_back(
        {.kind = role_change_kind::grant,
         .place = {.organization = organization, .project = found[i].id(0), .role = std::string(found[i].text(1))}});
  co_return out;
}

postgres::query accept_invitation_query(uuid id, uuid user) {
  return {accept_locked_invitation, postgres::parameters(id, user)};
}

audit_entry invitation_audit(std::string verb, uuid organization, uuid id, audit_actor const& actor,
                             std::string details) {
  return {.actor = actor,
          .organization = organization,
          .action = "invitation." + std::move(verb),
          .resource = "invitation",
          .resource_id = id,
          .details = std::move(details)};
}

postgres::query count_members_query(uuid organization) {
  return {count_members, postgres::parameters(organization)};
}

postgres::query find_member_query(uuid organization, std::string_view email) {
  return {find_member_of_address, postgres::parameters(organization, email)};
}

postgres::query verify_email_query(uuid user) {
  return {verify_email, postgres::parameters(user)};
}

}  // namespace svc::store
