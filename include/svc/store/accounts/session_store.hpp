#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/session.hpp"
#include "svc/store/change.hpp"
#include "svc/store/tokens/token_store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

struct stored_session {
  uuid id;
  std::string method;
  std::string provider;  ///< empty: none
  timestamp created_at, authenticated_at, last_seen_at, expires_at;
  std::string ip;
  std::string user_agent;
};

/// The result of a fresh sign-in: the secret that replaces the earlier one.
struct refreshed_session {
  sha256_digest digest{};
  std::string method{};
  std::string provider{};
};

/// Sessions of users. Every end of a session bumps the user's epoch, so the end takes effect on each instance once
/// `touched` was published. Worker-local; the pool outlives it. Every method throws `unavailable` when the database
/// is gone or late; then a change may or may not have happened.
class session_store {
 public:
  explicit session_store(postgres::pool& db, session_times times = {}) : db_(db), times_(times) {}

  /// Returns the live sessions of the user, the newest first: at most 50.
  task<std::vector<stored_session>> list(uuid user, deadline until);

  /// Ends one live session of the user. not_found: the user has no such live session.
  task<change<>> end(uuid user, uuid session, std::string reason, audit_actor actor, deadline until);

  /// Ends all live sessions of the user except `kept`, and returns their ids.
  task<change<std::vector<uuid>>> end_all(uuid user, std::optional<uuid> kept, std::string reason, audit_actor actor,
                                          deadline until);

  /// Replaces the secret of the actor's session, and records that the user has just proved who it is. session_ended:
  /// the session has ended meanwhile.
  task<change<>> refresh(uuid session, refreshed_session fresh, audit_actor actor, deadline until);

  /// Records when and from where sessions were last used. Times never go back. One statement that writes rows in id
  /// order, so that two instances cannot deadlock.
  task<> write(std::vector<last_use> batch, deadline until);

  /// Deletes sessions, links, invitations and mails that ended long enough ago (schema V067), up to 500 rows of a
  /// table. Returns true if there may be more.
  task<bool> sweep(deadline until);

  session_times const& times() const { return times_; }

 private:
  postgres::pool& db_;
  session_times times_;
};

}  // namespace svc::store
