#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/session.hpp"
#include "svc/store/change.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The session that a sign-in creates.
struct new_session {
  sha256_digest digest{};
  std::string method{};
  std::string provider{};                   ///< empty: none
  std::optional<sha256_digest> replaced{};  ///< the browser's previous session, which ends
  std::string ip{};
  std::string user_agent{};
  std::string request_id{};
  std::shared_ptr<std::vector<changed_thing>> audited{};  ///< as in `audit_actor`
};

/// The result of a sign-in.
struct signed_in {
  uuid user;
  uuid session;
  std::string name;
  std::string email;
  timestamp created_at{}, expires_at{};
  std::vector<std::pair<uuid, std::string_view>> ended{};  ///< sessions that it has ended, with the reasons
};

/// A link as the page shows it before the click that spends it.
struct link_preview {
  std::string name;
  std::string email;
  std::string kind;
  timestamp expires_at;
  bool sets_password = false;  ///< a `first` or `recovery` link of an account that no identity provider manages
};

struct new_link {
  uuid user;
  std::string kind;
  sha256_digest digest{};
  std::chrono::seconds life{};
  std::optional<uuid> created_by{};
};

/// The numbers of things that a reset of an account has ended.
struct account_reset {
  std::size_t sessions = 0, tokens = 0, identities = 0;
  bool password = false;
};

/// The facts about an account against which a password is checked.
struct password_account {
  uuid user;
  std::string name;
  std::string hash;       ///< empty: the account has no password
  bool disabled = false;  ///< banned
  bool managed = false;   ///< an identity provider manages the account, so no password is accepted
};

/// The ways in which a user signs in. A sign-in creates a new session and ends the browser's previous one, so nobody
/// can plant a session (fixation). Worker-local; the pool outlives it. Every method throws `unavailable` when the
/// database is gone or late; then a change may or may not have happened.
class sign_in_store {
 public:
  explicit sign_in_store(postgres::pool& db, session_times times = {}) : db_(db), times_(times) {}

  /// not_found: no such user.
  task<result<uuid>> create_link(new_link link, audit_actor actor, deadline until);

  /// Ends everything by which the user can act: password, identities, sessions, open links, CLI tokens and trigger
  /// keys. Roles stay. not_found: no such user.
  task<change<account_reset>> reset(uuid user, audit_actor actor, deadline until);

  /// True if the user has a password or an identity, so that a link recovers the account.
  task<bool> has_method(uuid user, deadline until);

  /// link_over: unknown, used, expired, replaced, or of a banned user.
  task<result<link_preview>> preview_link(sha256_digest secret, deadline until);

  /// Spends the link, and sets the password if there is a hash; then all other sessions of the user end. A `dev` link
  /// is not spent. link_over. sign_in_refused: an identity provider manages the account, so it gets no password.
  task<change<signed_in>> sign_in_by_link(sha256_digest secret, std::optional<std::string> password_hash,
                                          new_session session, deadline until);

  /// Finds the account by its normalised address.
  task<std::optional<password_account>> find_password(std::string email, deadline until);

  /// Writes an audit row about attempts at the account. `actor` is its user, although somebody else may have tried.
  task<> audit_attempt(std::string action, audit_actor actor, deadline until);

  /// Signs the user in after the check of `checked_hash`; `new_hash` hashes the same password with new parameters.
  /// sign_in_failed: the password was changed meanwhile, or the user is banned.
  task<change<signed_in>> sign_in_by_password(uuid user, std::string checked_hash,
                                              std::optional<std::string> new_hash, new_session session,
                                              deadline until);

  /// Sets the password and ends all sessions of the user but the actor's. sign_in_refused: an identity provider
  /// manages the account.
  task<change<std::vector<uuid>>> set_password(uuid user, std::string hash, audit_actor actor, deadline until);

 private:
  postgres::pool& db_;
  session_times times_;
};

}  // namespace svc::store
