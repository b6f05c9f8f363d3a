#include "svc/domain/role.hpp"

#include <array>

namespace svc {
namespace {

constexpr std::array<std::string_view, 6> role_names{"none",          "project_viewer", "project_editor",
                                                     "project_admin", "org_admin",      "org_owner"};

/// One row of the role table: the least role that has the permission.
struct rule {
  std::string_view name;
  role least;
};

constexpr role viewer = role::project_viewer, editor = role::project_editor, admin = role::project_admin;

/// In the order of the enumeration.
#define SVC_RULE(resource, action, least) {#resource ":" #action, least},
constexpr rule rules[] = {SVC_PERMISSIONS(SVC_RULE)};
#undef SVC_RULE

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
  for (std::size_t i = 0; i < std::size(rules); ++i) {
    if (rules[i].name == text) return static_cast<permission>(i);
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

std::vector<std::string> roles_from(role least) {
  return {role_names.begin() + static_cast<std::ptrdiff_t>(least), role_names.end()};
}

std::vector<std::string> administrator_roles() {
  return roles_from(role::project_admin);
}

bool allows(role r, permission p) {
  return r >= rules[static_cast<std::size_t>(p)].least && r != role::none;
}

}  // namespace svc
