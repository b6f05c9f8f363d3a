#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/audit.hpp"
#include "svc/store/change.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// An organisation of a user, and whether the user's session meets its sign-in policy.
struct own_organization {
  uuid id;
  std::string slug;
  std::string name;
  std::string role;
  bool policy_met = true;
};

/// A user with the session that asks.
struct own_account {
  uuid user;
  std::string name;
  std::string email;
  std::optional<timestamp> email_verified_at{};
  std::string preferences;  ///< a JSON object
  std::int64_t version = 1;
  uuid session;
  std::string method;
  std::string provider;  ///< empty: none
  timestamp authenticated_at, expires_at;
  std::vector<own_organization> organizations{};
};

/// The members of an account that its user changes.
struct account_edit {
  std::string name;
  std::string preferences;
};

/// The accounts of users, as the users see and change them. Worker-local; the pool outlives it. Every method throws
/// `unavailable` when the database is gone or late.
class account_store {
 public:
  explicit account_store(postgres::pool& db) : db_(db) {}

  /// session_ended: the session has been deleted meanwhile.
  task<result<own_account>> read(uuid user, uuid session, deadline until);

  /// Applies the edit to the account as it is now. The name stands in records, so an edit bumps the user's epoch.
  /// precondition_failed, and the errors of `edit`.
  task<change<own_account>> update(uuid user, std::function<result<account_edit>(own_account const&)> edit,
                                   version_condition expected, audit_actor actor, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
