#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/role.hpp"
#include "svc/domain/token.hpp"
#include "svc/store/change.hpp"
#include "svc/store/directory/directory_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A member of an organisation. A value.
struct shown_member {
  uuid id;  ///< of the user
  std::string name;
  std::string email;
  std::optional<timestamp> email_verified_at{};
  std::string role;
  std::optional<std::string> source{};  ///< the identity provider that gives the role
  bool disabled = false;
  std::string projects;  ///< a JSON list of the roles in projects
  timestamp created_at;
};

/// A token or key that the removal of its owner stops, as people see it. A value.
struct impacted_token {
  uuid id;
  token_kind kind = token_kind::cli;
  std::string name;
  std::string start;
  uuid project;
  std::string project_name;
  std::optional<uuid> job{};
  timestamp created_at;
};

/// The results of a removal of a member.
struct member_impact {
  page<impacted_token> stopped;
  std::vector<known_runner_token> runner_tokens{};  ///< unrevoked ones: at most 50, the bound of the organisation
};

/// The actor of a change of a member, with the role that the request was admitted with.
struct member_editor {
  audit_actor actor;
  organization_role role = organization_role::none;
};

/// The role of a member that a change finds, under the lock of the organisation.
struct held_membership {
  organization_role role = organization_role::none;
  bool managed = false;     ///< a group of an identity provider gives the role
  std::int64_t others = 0;  ///< other owners of the organisation who can sign in; counted for an owner only
};

/// Returns why `agent` may not give the member the role `wanted` (`none`: remove the member), or nothing. Only owners
/// set and remove owners, and the last one who can sign in stays: a banned owner does not count.
std::optional<errc> refusal_of_member_change(organization_role agent, held_membership const& held,
                                             organization_role wanted);

/// The members of organisations, as administrators see and change them. Each change locks the organisation's row
/// first, so that the check of the last owner is exact. Worker-local; the pool outlives it. Every method throws
/// `unavailable` when the database is gone or late, and `write_refused` when the actor has lost its right meanwhile.
class member_store {
 public:
  explicit member_store(postgres::pool& db) : db_(db) {}

  /// In the order in which they joined.
  task<page<shown_member>> list(uuid organization, page_request wanted, deadline until);

  /// The tokens and keys that a removal would stop, and the runner tokens that it would not, the oldest first.
  /// not_found: not a member.
  task<result<member_impact>> impact(uuid organization, uuid user, page_request wanted, deadline until);

  /// not_found, permission_denied, role_managed_by_provider, last_owner.
  task<change<shown_member>> set_role(uuid organization, uuid user, organization_role role, member_editor editor,
                                      deadline until);

  /// Ends the membership and its roles in projects, and permanently stops the user's tokens and keys in the
  /// organisation. The errors of `set_role`.
  task<change<>> remove(uuid organization, uuid user, member_editor editor, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
