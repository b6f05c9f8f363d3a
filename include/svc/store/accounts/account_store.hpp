#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/role.hpp"
#include "svc/domain/token.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
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

/// A token or key of a user, in any project. A value.
struct own_token {
  uuid id;
  token_kind kind = token_kind::cli;
  std::string name;
  std::string start;
  bool enabled = true;
  bool stopped = false;  ///< for ever: the membership under which it was created has ended
  uuid project;
  std::string project_name;
  uuid organization;
  std::string organization_name;
  std::optional<uuid> job{};
  std::optional<timestamp> expires_at{};
  std::optional<timestamp> last_used_at{};
  timestamp created_at;
};

/// A project in which a user has a role. A value.
struct own_project {
  uuid id;
  std::string slug;
  std::string name;
  std::string role;
  bool policy_met = true;  ///< the session that asks meets the organisation's sign-in policy
  uuid organization;
  std::string organization_slug;
  std::string organization_name;
  timestamp created_at;
};

/// The types of resources that have a page of their own.
enum class page_resource : std::uint8_t { monitor, outage, alert, job, run, test, provider, status_page };

/// The place of a resource in which a user has a role. A value.
struct resource_place {
  std::string organization;  ///< the slug
  std::string project;       ///< the slug
  role user_role = role::none;
  bool policy_met = false;       ///< the session meets the organisation's sign-in policy
  std::optional<uuid> parent{};  ///< the monitor of an outage
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

  /// The unrevoked tokens and keys of the user, the oldest first.
  task<page<own_token>> tokens(uuid user, page_request wanted, deadline until);

  /// The projects that are not archived and in which the user has a role, the newest first. `search` is a literal
  /// part of the name or the slug of project or organisation, in any case.
  task<page<own_project>> projects(uuid user, uuid session, std::optional<std::string> search, page_request wanted,
                                   deadline until);

  /// Finds a resource that is not deleted (a monitor may be), in a project that is not archived and in which the user
  /// has a role. Returns `std::nullopt` for all others.
  task<std::optional<resource_place>> locate(uuid user, uuid session, page_resource type, uuid id, deadline until);

  /// Applies the edit to the account as it is now. The name stands in records, so an edit bumps the user's epoch.
  /// precondition_failed, and the errors of `edit`.
  task<change<own_account>> update(uuid user, std::function<result<account_edit>(own_account const&)> edit,
                                   version_condition expected, audit_actor actor, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
