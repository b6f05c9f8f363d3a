#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/token.hpp"
#include "svc/store/change.hpp"

#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A token or key that ends with its owner's membership.
struct stopped_token {
  uuid id;
  token_kind kind = token_kind::cli;
  uuid project;
  std::optional<uuid> job{};
  std::string name;
  std::string start;
};

struct user_identity {
  uuid id;
  std::string email;
  std::string name;
};

/// Organisations, projects, users, members and their roles. Each change raises the epoch of every subject it
/// touches: the users, and their trigger keys in the projects concerned. Roles are stored names (`org_admin`,
/// `project_editor`, ...). Worker-local; the pool outlives it. Throws `unavailable` when the database is gone.
class directory_store {
 public:
  explicit directory_store(postgres::pool& db) : db_(db) {}

  /// By id or e-mail address; by id or slug; by id or `organization-slug/project-slug`. not_found names it.
  task<result<user_identity>> find_user(std::string who, deadline until);
  task<result<uuid>> find_organization(std::string which, deadline until);
  task<result<uuid>> find_project(std::string which, deadline until);

  /// name_taken, validation_failed.
  task<result<uuid>> create_user(std::string email, std::string name, audit_actor by, deadline until);
  task<result<uuid>> create_organization(std::string slug, std::string name, audit_actor by, deadline until);
  task<result<uuid>> create_project(uuid organization, std::string slug, std::string name, audit_actor by,
                                    deadline until);

  /// Adds the member or changes the role. validation_failed: no such role. A project's member must be one of
  /// its organisation: not_found.
  task<change<>> set_organization_role(uuid organization, uuid user, std::string role, audit_actor by,
                                       deadline until);
  task<change<>> set_project_role(uuid project, uuid user, std::string role, audit_actor by, deadline until);

  /// Takes the project's role only; tokens of an owner without any role say so.
  task<change<>> remove_project_role(uuid project, uuid user, audit_actor by, deadline until);

  /// Ends the membership, its project roles, and for good the owner's tokens and keys in the organisation, which
  /// are returned. not_found: no member.
  task<change<std::vector<stopped_token>>> remove_member(uuid organization, uuid user, audit_actor by,
                                                         deadline until);
  /// What `remove_member` would stop.
  task<result<std::vector<stopped_token>>> stopped_by_removal(uuid organization, uuid user, deadline until);

  task<change<>> set_banned(uuid user, bool banned, audit_actor by, deadline until);
  task<change<>> set_archived(uuid project, bool archived, audit_actor by, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
