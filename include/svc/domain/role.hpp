#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// What a user may do in one project: the organisation's role if it is an owner's or administrator's, else
/// the project's. `none` cannot use a token at all.
enum class role : std::uint8_t { none, project_viewer, project_editor, project_admin, org_admin, org_owner };

std::string_view to_string(role r);

/// From the stored names; org_member has no rights of its own.
role effective_role(std::string_view organization_role, std::string_view project_role);

inline bool is_administrator(role r) {
  return r >= role::project_admin;
}

// The one role table: a resource, what is done to it, and the least role that may. Roles are ordered by what they may
// do.
// clang-format off
#define SVC_PERMISSIONS(X) \
  X(token, view, editor) X(token, create, editor) X(token, update, editor) X(token, delete, admin) \
  X(job, view, viewer) X(job, create, editor) X(job, update, editor) X(job, delete, admin) X(job, trigger, editor) \
  X(test, view, viewer) X(test, create, editor) X(test, update, editor) X(test, delete, admin) \
  X(run, view, viewer) X(run, cancel, editor) X(run, delete, admin) \
  X(notification, view, viewer) X(notification, create, editor) X(notification, update, editor) X(notification, delete, admin) \
  X(variable, view, viewer) X(variable, create, editor) X(variable, update, editor) X(variable, delete, admin) \
  X(monitor, view, viewer) X(monitor, create, editor) X(monitor, update, editor) X(monitor, delete, admin) \
  X(tag, view, viewer) X(tag, create, editor) X(tag, update, editor) X(tag, delete, admin) \
  X(audit, view, admin)
// clang-format on

/// `resource:action` of the role table, as the contract's x-permission spells it.
#define SVC_PERMISSION(resource, action, least) resource##_##action,
enum class permission : std::uint8_t { SVC_PERMISSIONS(SVC_PERMISSION) };
#undef SVC_PERMISSION

std::optional<permission> parse_permission(std::string_view text);
std::string_view to_string(permission p);

/// By the role table.
bool allows(role r, permission p);

/// Names of the roles that have the permission; without one, of all roles but `none`.
std::vector<std::string> roles_with(std::optional<permission> p);
/// Names of `least` and of all roles that may do more.
std::vector<std::string> roles_from(role least);
/// Names of the roles that administer a project.
std::vector<std::string> administrator_roles();

/// True if a person with the role `agent` may give power to another person's credential: enable it or widen what it
/// may do. The credential acts with the role of its owner, so a lesser role would gain rights through a secret that
/// leaked.
inline bool may_empower_credential(role agent, role owner) {
  return agent >= owner;
}

}  // namespace svc
