#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// The rights of a user in one project. The role in the organisation counts for owners and administrators, otherwise
/// the role in the project. A user with `none` cannot use a token at all.
enum class role : std::uint8_t { none, project_viewer, project_editor, project_admin, org_admin, org_owner };

std::string_view to_string(role r);
/// Returns the role in a project with this name; `none` for another name.
role parse_project_role(std::string_view text);

/// Combines the stored names of both roles; org_member has no rights of its own.
role effective_role(std::string_view organization_role, std::string_view project_role);

inline bool is_administrator(role r) {
  return r >= role::project_admin;
}

// The only role table. Each entry has a resource, an action and the least role that may perform it. Roles are ordered
// by their rights.
// clang-format off
#define SVC_PERMISSIONS(X) \
  X(token, view, editor) X(token, create, editor) X(token, update, editor) X(token, delete, admin) \
  X(job, view, viewer) X(job, create, editor) X(job, update, editor) X(job, delete, admin) X(job, trigger, editor) \
  X(test, view, viewer) X(test, create, editor) X(test, update, editor) X(test, delete, admin) \
  X(run, view, viewer) X(run, cancel, editor) X(run, delete, admin) \
  X(notification, view, viewer) X(notification, create, editor) X(notification, update, editor) X(notification, delete, admin) \
  X(variable, view, viewer) X(variable, create, editor) X(variable, update, editor) X(variable, delete, admin) \
  X(monitor, view, viewer) X(monitor, create, editor) X(monitor, update, editor) X(monitor, delete, admin) \
  X(status_page, view, viewer) X(status_page, create, editor) X(status_page, update, editor) \
  X(status_page, delete, admin) \
  X(tag, view, viewer) X(tag, create, editor) X(tag, update, editor) X(tag, delete, admin) \
  X(audit, view, admin) \
  X(project, view, viewer) X(project, update, admin) X(project, members, admin) X(project, runners, admin)
// clang-format on

/// The permissions of the role table; `x-permission` of the contract spells them `resource:action`.
#define SVC_PERMISSION(resource, action, least) resource##_##action,
enum class permission : std::uint8_t { SVC_PERMISSIONS(SVC_PERMISSION) };
#undef SVC_PERMISSION

std::optional<permission> parse_permission(std::string_view text);
std::string_view to_string(permission p);

/// Returns true if the role table allows it.
bool allows(role r, permission p);

/// Returns the names of the roles that have the permission; without a permission, of all roles except `none`.
std::vector<std::string> roles_with(std::optional<permission> p);
/// Returns the names of `least` and of all roles with more rights.
std::vector<std::string> roles_from(role least);
/// Returns the names of the roles that administer a project.
std::vector<std::string> administrator_roles();

/// The role of a member of an organisation, ordered by its rights.
enum class organization_role : std::uint8_t { none, org_member, org_admin, org_owner };

std::string_view to_string(organization_role r);
organization_role parse_organization_role(std::string_view text);  ///< `none` for an unknown name

// The table of operations on an organisation, with the least role that may perform each.
// clang-format off
#define SVC_ORGANIZATION_PERMISSIONS(X) \
  X(organization, view, member) X(organization, update, admin) X(organization, audit, admin) \
  X(organization, runners, admin) X(organization, govern, owner) \
  X(member, view, member) X(member, update, admin) X(project, create, admin)
// clang-format on

#define SVC_PERMISSION(resource, action, least) resource##_##action,
enum class organization_permission : std::uint8_t { SVC_ORGANIZATION_PERMISSIONS(SVC_PERMISSION) };
#undef SVC_PERMISSION

std::optional<organization_permission> parse_organization_permission(std::string_view text);
bool allows(organization_role r, organization_permission p);
/// Returns the names of the roles that have the permission; without a permission, of all roles except `none`.
std::vector<std::string> organization_roles_with(std::optional<organization_permission> p);

/// True if a person with the role `agent` may empower another person's credential: enable it or widen its rights. The
/// credential acts with the role of its owner. A person with a lesser role who knows the leaked secret would gain
/// rights.
inline bool may_empower_credential(role agent, role owner) {
  return agent >= owner;
}

}  // namespace svc
