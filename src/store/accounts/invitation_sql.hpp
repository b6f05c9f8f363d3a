#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/core/bytes.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/identity.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <string>
#include <string_view>
#include <vector>

// The statements that all ways to accept an invitation share. The order of locks is: an existing user, the
// organisation, the invitation, its inviter's membership, its mails, a new user.

namespace svc::store {

/// The condition that somebody may accept the invitation `v`.
inline constexpr auto invitation_is_open =
    sql(" v.accepted_at IS NULL AND v.revoked_at IS NULL AND v.expires_at > clock_timestamp() ");

/// The condition that the membership `g` lets its user give the role of the invitation `v`.
inline constexpr auto gives_invited_role =
    sql(" g.organization_id = v.organization_id AND g.user_id = v.invited_by"
        " AND (g.role = 'org_owner' OR (g.role = 'org_admin' AND v.role <> 'org_owner'))"
        " AND NOT EXISTS (SELECT FROM users b WHERE b.id = g.user_id AND b.disabled_at IS NOT NULL) ");

/// The condition that the inviter could still invite with the role of `v`: an inviter who was removed, demoted or
/// banned leaves no invitation that works.
inline constexpr auto inviter_may_invite =
    sql(" EXISTS (SELECT FROM organization_members g WHERE", gives_invited_role, ") ");

/// Locks the organisation of the invitation with this secret, which may be of any length.
postgres::query lock_inviting_organization_query(byte_view secret);

/// Locks the open invitation with this secret, and the membership of its inviter; no row: there is none. Read it with
/// `read_locked_invitation`. Runs after the lock of the organisation.
postgres::query lock_invitation_query(byte_view secret, std::string_view email);

/// An open invitation under its lock.
struct locked_invitation {
  uuid id;
  uuid organization;
  std::string role;
  std::string projects;
  std::string email;
  bool mailed = false;  ///< its person received the secret at the address
  bool fits = false;    ///< it is for the address that was asked about
};
locked_invitation read_locked_invitation(postgres::row const& found);

/// Returns the roles that the invitation gives, in projects that are not archived.
task<std::vector<role_change>> invited_roles(postgres::unit_of_work& tx, locked_invitation invitation);

postgres::query accept_invitation_query(uuid id, uuid user);
audit_entry invitation_audit(std::string verb, uuid organization, uuid id, audit_actor const& actor,
                             std::string details = "{}");

/// Counts the members of the organisation, for `quotas.members`. Requires the lock of the organisation.
postgres::query count_members_query(uuid organization);

/// Finds a member by the address; no row: there is none.
postgres::query find_member_query(uuid organization, std::string_view email);

/// Sets the time of the proof that the user reads mail at the address, unless it is set.
postgres::query verify_email_query(uuid user);

}  // namespace svc::store
