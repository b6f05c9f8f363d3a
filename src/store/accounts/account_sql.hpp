#pragma once

#include "svc/domain/audit.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/accounts/sign_in_store.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The statements that all changes of accounts share. The order of locks is: the user, a link, sessions, subjects.

namespace svc::store {

/// Locks the user until COMMIT, so that a sign-in and a ban wait for each other. Columns: id, disabled, name, e-mail,
/// managed by an identity provider.
postgres::query lock_account_query(uuid user);

/// Ends the live sessions of the user except `kept`. Column 0 of the result has their ids.
postgres::query end_sessions_query(uuid user, std::optional<uuid> kept, std::string_view reason);

/// Replaces the password. `hash` has libsodium's form.
postgres::query set_password_query(uuid user, std::string_view hash);

/// Ends the open links of the user, except those of `svcd dev`, with their mails: each row of the result is one.
postgres::query end_links_query(uuid user);

/// The audit row of a new password, which has ended this number of links.
audit_entry password_audit(audit_actor const& actor, uuid user, int links);

/// An audit row of a user's account, which belongs to no organisation.
audit_entry account_audit(audit_actor const& actor, std::string action, std::string resource, uuid id,
                          std::string details = "{}");
std::vector<audit_entry> ended_audits(audit_actor const& actor, std::vector<uuid> const& sessions,
                                      std::string_view reason);

/// A sign-in on its way to its session.
struct opening {
  uuid user;
  std::string name;
  std::string email;
  new_session session;
  std::vector<postgres::query> changes{};               ///< precede the session, in the same transaction
  std::optional<std::size_t> ends{};                    ///< the index of the change whose column 0 has ended sessions
  std::string_view end_reason = session_end::password;  ///< of these sessions
  bool bumps_keys = false;            ///< the changes touch roles, on which the user's trigger keys depend
  std::vector<audit_entry> audits{};  ///< without their actor, which is the new session
};

/// Ends a sign-in: creates the session, ends the browser's previous one and the user's surplus, bumps the touched
/// users, writes the audit rows and commits. Requires the lock of the user.
task<change<signed_in>> open_session(postgres::unit_of_work& tx, opening sign_in, std::chrono::seconds life);

}  // namespace svc::store
