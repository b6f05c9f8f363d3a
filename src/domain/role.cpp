#include "svc/domain/role.hpp"

#include <array>

namespace svc {
namespace {

constexpr std::array<std::string_view, 6> role_names{"none",          "project_viewer", "project_editor",
                                                     "project_admin", "org_admin",      "org_owner"};

/// One row of the role table: the least role that has the permission. Roles are ordered by what they may do.
struct rule {
  permission what;
  std::string_view name;
  role least;
};

constexpr role viewer = role::project_viewer, editor = role::project_editor, admin = role::project_admin;

constexpr std::array<rule, permission_count> rules{{
    {permission::token_view, "token:view", editor},
    {permission::token_create, "token:create", editor},
    {permission::token_update, "token:update", editor},
    {permission::token_delete, "token:delete", admin},
    {permission::job_view, "job:view", viewer},
    {permission::job_create, "job:create", editor},
    {permission::job_update, "job:update", editor},
    {permission::job_delete, "job:delete", admin},
    {permission::job_trigger, "job:trigger", editor},
    {permission::test_view, "test:view", viewer},
    {permission::test_create, "test:create", editor},
    {permission::test_update, "test:update", editor},
    {permission::test_delete, "test:delete", admin},
    {permission::run_view, "run:view", viewer},
    {permission::run_cancel, "run:cancel", editor},
    {permission::run_delete, "run:delete", admin},
    {permission::notification_view, "notification:view", viewer},
    {permission::notification_create, "notification:create", editor},
    {permission::notification_update, "notification:update", editor},
    {permission::notification_delete, "notification:delete", admin},
    {permission::variable_view, "variable:view", viewer},
    {permission::variable_create, "variable:create", editor},
    {permission::variable_update, "variable:update", editor},
    {permission::variable_delete, "variable:delete", admin},
    {permission::tag_view, "tag:view", viewer},
    {permission::tag_create, "tag:create", editor},
    {permission::tag_update, "tag:update", editor},
    {permission::tag_delete, "tag:delete", admin},
    {permission::audit_view, "audit:view", admin},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].what != static_cast<permission>(i)) return false;
  }
  return true;
}
static_assert(in_order(), "the rules must be in the order of the enumeration");

role parse_role(std::string_view text) {
  for (std::size_t i = 0; i < role_names.size(); ++i) {
    if (role_names[i] == text) return static_cast<role>(i);
  }
  return role::none;
}

}  // namespace

std::string_view to_string(role r) {
  return role_names[static_cast<std::size_t>(r)];
}

role effective_role(std::string_view organization_role, std::string_view project_role) {
  role const in_organization = parse_role(organization_role);
  return in_organization >= role::org_admin ? in_organization : parse_role(project_role);
}

std::optional<permission> parse_permission(std::string_view text) {
  for (rule const& r : rules) {
    if (r.name == text) return r.what;
  }
  return std::nullopt;
}

std::string_view to_string(permission p) {
  return rules[static_cast<std::size_t>(p)].name;
}

std::vector<std::string> roles_with(std::optional<permission> p) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < role_names.size(); ++i) {
    if (!p || allows(static_cast<role>(i), *p)) names.emplace_back(role_names[i]);
  }
  return names;
}

std::vector<std::string> administrator_roles() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < role_names.size(); ++i) {
    if (is_administrator(static_cast<role>(i))) names.emplace_back(role_names[i]);
  }
  return names;
}

bool allows(role r, permission p) {
  return r >= rules[static_cast<std::size_t>(p)].least && r != role::none;
}

}  // namespace svc
