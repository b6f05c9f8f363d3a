#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/token.hpp"
#include "svc/store/change.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A token or trigger key that stops working when its owner's membership ends.
struct stopped_token {
  uuid id;
  token_kind kind = token_kind::cli;
  uuid project;
  std::optional<uuid> job{};
  std::string name;
  std::string start;
};

/// A runner token that a member has made. A removal does not stop it, because it belongs to the organisation.
struct known_runner_token {
  uuid id;
  std::string name;
  std::string start;
  std::optional<uuid> project{};              ///< empty: it serves the whole organisation
  std::optional<std::string> project_name{};  ///< of this project
};

/// The credentials of a member that the operator should look at before a removal.
struct removal_impact {
  std::vector<stopped_token> stopped{};             ///< these stop
  std::vector<known_runner_token> runner_tokens{};  ///< unrevoked ones, which stay valid: at most 50
};

struct user_identity {
  uuid id;
  std::string email;
  std::string name;
};

/// Organisations, projects, users, members and their roles. Each change bumps the epoch of every subject it
/// touches: the users, and their trigger keys in the projects concerned. Roles are passed by their stored names
/// (`org_admin`, `project_editor`, ...). Worker-local; the pool outlives it. Every method throws `unavailable` when
/// the database is gone or late.
class directory_store {
 public:
  explicit directory_store(postgres::pool& db) : db_(db) {}

  /// Find a user by id or e-mail address, an organisation by id or slug, a project by id or
  /// `organization-slug/project-slug`. not_found, with a message that repeats the argument; validation_failed for a
  /// project in another form.
  task<result<user_identity>> find_user(std::string name, deadline until);
  task<result<uuid>> find_organization(std::string which, deadline until);
  task<result<uuid>> find_project(std::string which, deadline until);

  /// name_taken, validation_failed; a project also not_found (no such organisation).
  task<result<uuid>> create_user(std::string email, std::string name, audit_actor actor, deadline until);
  task<result<uuid>> create_organization(std::string slug, std::string name, audit_actor actor, deadline until);
  task<result<uuid>> create_project(uuid organization, std::string slug, std::string name, audit_actor actor,
                                    deadline until);

  /// Adds the member or changes the role. validation_failed: no such role. not_found: no such organisation, user or
  /// project, or the user is not a member of the project's organisation.
  task<change<>> set_organization_role(uuid organization, uuid user, std::string role, audit_actor actor,
                                       deadline until);
  task<change<>> set_project_role(uuid project, uuid user, std::string role, audit_actor actor, deadline until);

  /// Removes only the role in this project. Tokens of an owner who is left without any role are then refused with
  /// owner_without_role. not_found: no such project, or no role in it.
  task<change<>> remove_project_role(uuid project, uuid user, audit_actor actor, deadline until);

  /// Ends the membership and its project roles, and permanently stops the user's tokens and keys in the
  /// organisation, which are returned. not_found: not a member.
  task<change<std::vector<stopped_token>>> remove_member(uuid organization, uuid user, audit_actor actor,
                                                         deadline until);
  /// The tokens and keys that `remove_member` would stop, and the runner tokens that it would not.
  task<removal_impact> impact_of_removal(uuid organization, uuid user, deadline until);

  task<change<>> set_banned(uuid user, bool banned, audit_actor actor, deadline until);
  /// Returns the slugs of the user's organisations that have no owner who can sign in: the user is banned, and so are
  /// all other owners.
  task<std::vector<std::string>> without_owner(uuid user, deadline until);
  task<change<>> set_archived(uuid project, bool archived, audit_actor actor, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
