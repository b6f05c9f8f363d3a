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

constexpr std::array<std::string_view, 4> organization_role_names{"none", "org_member", "org_admin", "org_owner"};

/// One row of the table of an organisation's operations.
struct organization_rule {
  std::string_view name;
  organization_role least;
};

namespace organization_roles {
constexpr auto member = organization_role::org_member, admin = organization_role::org_admin,
               owner = organization_role::org_owner;
}

/// In the order of the enumeration.
#define SVC_RULE(resource, action, least) {#resource ":" #action, organization_roles::least},
constexpr organization_rule organization_rules[] = {SVC_ORGANIZATION_PERMISSIONS(SVC_RULE)};
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

role parse_project_role(std::string_view text) {
  role const found = parse_role(text);
  return found <= role::project_admin ? found : role::none;
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

std::string_view to_string(organization_role r) {
  return organization_role_names[static_cast<std::size_t>(r)];
}

organization_role parse_organization_role(std::string_view text) {
  for (std::size_t i = 0; i < organization_role_names.size(); ++i) {
    if (organization_role_names[i] == text) return static_cast<organization_role>(i);
  }
  return organization_role::none;
}

std::optional<organization_permission> parse_organization_permission(std::string_view text) {
  for (std::size_t i = 0; i < std::size(organization_rules); ++i) {
    if (organization_rules[i].name == text) return static_cast<organization_permission>(i);
  }
  return std::nullopt;
}

bool allows(organization_role r, organization_permission p) {
  return r >= organization_rules[static_cast<std::size_t>(p)].least && r != organization_role::none;
}

std::vector<std::string> organization_roles_with(std::optional<organization_permission> p) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < organization_role_names.size(); ++i) {
    if (!p || allows(static_cast<organization_role>(i), *p)) names.emplace_back(organization_role_names[i]);
  }
  return names;
}

}  // namespace svc
