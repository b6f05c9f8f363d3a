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

/// `resource:action` of the role table, as the contract's x-permission spells it.
enum class permission : std::uint8_t {
  token_view,
  token_create,
  token_update,
  token_delete,
  job_view,
  job_create,
  job_update,
  job_delete,
  job_trigger,
  test_view,
  test_create,
  test_update,
  test_delete,
  run_view,
  run_cancel,
  run_delete,
  notification_view,
  notification_create,
  notification_update,
  notification_delete,
  variable_view,
  variable_create,
  variable_update,
  variable_delete,
  tag_view,
  tag_create,
  tag_update,
  tag_delete,
  audit_view,
};
inline constexpr int permission_count = static_cast<int>(permission::audit_view) + 1;

std::optional<permission> parse_permission(std::string_view text);
std::string_view to_string(permission p);

/// The one role table.
bool allows(role r, permission p);

/// Names of the roles that have the permission; without one, of all roles but `none`.
std::vector<std::string> roles_with(std::optional<permission> p);
/// Names of the roles that administer a project.
std::vector<std::string> administrator_roles();

}  // namespace svc
