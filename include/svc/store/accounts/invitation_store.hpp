#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/quota.hpp"
#include "svc/domain/role.hpp"
#include "svc/domain/session.hpp"
#include "svc/store/accounts/member_store.hpp"
#include "svc/store/accounts/sign_in_store.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A role in a project that an invitation gives.
struct invited_project {
  uuid project;
  role given = role::none;
};

/// An invitation to create. A value.
struct new_invitation {
  std::string email;  ///< normalised
  organization_role role = organization_role::none;
  std::vector<invited_project> projects{};
};

/// The mail of an invitation. A value.
struct shown_delivery {
  std::string state;  ///< waiting, sent or failed
  std::int64_t attempts = 0;
  std::optional<std::string> reason{};  ///< of the last failure
};

/// An invitation as administrators see it. A value.
struct shown_invitation {
  uuid id;
  std::string email;
  std::string role;
  std::string projects;  ///< a JSON list of the roles in projects that are not archived
  std::string state;     ///< open, accepted, revoked or expired
  uuid inviter;
  std::string inviter_name;
  timestamp created_at;
  timestamp expires_at;
  std::optional<timestamp> accepted_at{};
  std::optional<shown_delivery> delivery{};  ///< empty: the inviter has seen the link
};

/// An open invitation as the person who has its link sees it. A value.
struct invitation_preview {
  uuid organization;
  std::string organization_slug;
  std::string organization_name;
  std::string email;
  std::string role;
  std::string inviter_name;
  timestamp expires_at;
  bool has_account = false;     ///< an account has the address
  bool admits_password = true;  ///< the organisation's policy admits sessions that a password opened
  std::string providers;        ///< a JSON list: the providers whose sessions the policy admits; empty: all
};

/// Invitations into organisations. Each change locks the organisation's row first, so that the bounds are exact.
/// Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late, and
/// `write_refused` when the actor has lost its right meanwhile.
class invitation_store {
 public:
  invitation_store(postgres::pool& db, session_times times, quota_table const& quotas)
      : db_(db), times_(times), most_members_(quotas.members) {}

  /// The newest first.
  task<page<shown_invitation>> list(uuid organization, page_request wanted, deadline until);

  /// Creates an invitation for 7 days; it replaces an earlier open one of the address. `copied` is the digest of the
  /// secret that the inviter sees; without it a mail waits for delivery. permission_denied: a role above the
  /// inviter's, of the new invitation or of the replaced one. validation_failed: a project that the organisation does
  /// not have. already_member, member_limit_reached, invitation_limit_reached.
  task<result<shown_invitation>> create(uuid organization, new_invitation wanted, std::optional<sha256_digest> copied,
                                        member_editor inviter, deadline until);

  /// Makes an open or expired invitation work for 7 more days by a new secret; earlier ones end. not_found, and the
  /// errors of `create`.
  task<result<shown_invitation>> renew(uuid organization, uuid id, std::optional<sha256_digest> copied,
                                       member_editor inviter, deadline until);

  /// Once this returns, nobody can accept the invitation. not_found; permission_denied: a role above the revoker's.
  task<result<>> revoke(uuid organization, uuid id, member_editor revoker, deadline until);

  /// link_over.
  task<result<invitation_preview>> preview(sha256_digest secret, deadline until);

  /// Makes the user of the actor's session a member. link_over, already_member, member_limit_reached;
  /// permission_denied: the invitation is for another address.
  task<change<>> accept(sha256_digest secret, audit_actor actor, deadline until);

  /// Creates an account with the name and the password's hash, makes it a member and opens its session. link_over,
  /// account_exists, member_limit_reached.
  task<change<signed_in>> accept_as_new(sha256_digest secret, std::string name, std::string password_hash,
                                        new_session session, deadline until);

 private:
  bool is_full(std::int64_t members) const;

  postgres::pool& db_;
  session_times times_;
  std::size_t most_members_;  ///< of an organisation; 0: any number
};

}  // namespace svc::store
