#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/quota.hpp"
#include "svc/domain/role.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A project with the name of its organisation. A value.
struct shown_project {
  uuid id;
  std::string slug;
  std::string name;
  std::optional<timestamp> archived_at{};
  std::int64_t version = 1;
  timestamp created_at;
  uuid organization;
  std::string organization_slug;
  std::string organization_name;
};

/// A user with a role of the project. A value.
struct project_member {
  uuid id;  ///< of the user
  std::string name;
  std::string email;
  std::optional<timestamp> email_verified_at{};
  std::string role;
  std::optional<std::string> source{};  ///< the identity provider that gives the role
  bool disabled = false;
  timestamp created_at;
};

/// Projects and their members, as administrators see and change them. Worker-local; the pool outlives it. Every
/// method throws `unavailable` when the database is gone or late, and `write_refused` when the actor has lost its
/// right meanwhile.
class project_store {
 public:
  project_store(postgres::pool& db, quota_table const& quotas) : db_(db), most_(quotas.projects) {}

  /// All projects of the organisation, archived ones included, the newest first.
  task<page<shown_project>> list(uuid organization, page_request wanted, deadline until);

  /// not_found: no such project, or one of another organisation.
  task<result<shown_project>> read(uuid organization, uuid project, deadline until);

  /// name_taken; project_limit_reached, exact by a lock on the organisation's row.
  task<change<shown_project>> create(uuid organization, std::string slug, std::string name, audit_actor actor,
                                     deadline until);

  /// not_found: no such project, or it is archived. precondition_failed.
  task<change<shown_project>> rename(editor agent, std::string name, deadline until);

  /// Archives or restores a project, as the operator does; without effect if it is so already. not_found: no such
  /// project, or one of another organisation.
  task<change<shown_project>> set_archived(uuid organization, uuid project, bool archived, audit_actor actor,
                                           deadline until);

  /// In the order in which they got a role of the project.
  task<page<project_member>> members(uuid project, page_request wanted, deadline until);

  /// Adds the member or changes the role. not_found: the user is no member of the organisation.
  /// role_managed_by_provider.
  task<change<project_member>> set_member(editor agent, uuid user, role given, deadline until);

  /// Ends the role in the project. not_found: no role in it. role_managed_by_provider.
  task<change<>> remove_member(editor agent, uuid user, deadline until);

 private:
  postgres::pool& db_;
  std::size_t most_;  ///< projects of an organisation; 0: any number
};

}  // namespace svc::store
