#include "svc/domain/role.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

using namespace svc;

TEST_CASE("the role table of the contract") {
  // For each permission the roles that have it: viewer, editor, project admin (organisation roles have the same).
  struct row {
    std::string_view name;
    bool viewer, editor, admin;
  } const table[] = {
      {"token:view", false, true, true},
      {"token:create", false, true, true},
      {"token:update", false, true, true},
      {"token:delete", false, false, true},
      {"job:view", true, true, true},
      {"job:create", false, true, true},
      {"job:update", false, true, true},
      {"job:delete", false, false, true},
      {"job:trigger", false, true, true},
      {"test:view", true, true, true},
      {"test:create", false, true, true},
      {"test:update", false, true, true},
      {"test:delete", false, false, true},
      {"run:view", true, true, true},
      {"run:cancel", false, true, true},
      {"run:delete", false, false, true},
      {"notification:view", true, true, true},
      {"notification:create", false, true, true},
      {"notification:update", false, true, true},
      {"notification:delete", false, false, true},
      {"variable:view", true, true, true},
      {"variable:create", false, true, true},
      {"variable:update", false, true, true},
      {"variable:delete", false, false, true},
      {"monitor:view", true, true, true},
      {"monitor:create", false, true, true},
      {"monitor:update", false, true, true},
      {"monitor:delete", false, false, true},
      {"status_page:view", true, true, true},
      {"status_page:create", false, true, true},
      {"status_page:update", false, true, true},
      {"status_page:delete", false, false, true},
      {"tag:view", true, true, true},
      {"tag:create", false, true, true},
      {"tag:update", false, true, true},
      {"tag:delete", false, false, true},
      {"audit:view", false, false, true},
      {"project:view", true, true, true},
      {"project:update", false, false, true},
      {"project:members", false, false, true},
      {"project:runners", false, false, true},
  };
#define SVC_NAME(resource, action, least) #resource ":" #action,
  for (std::string_view const name : {SVC_PERMISSIONS(SVC_NAME)}) {
    CAPTURE(name);
    CHECK(std::ranges::find(table, name, &row::name) != std::end(table));
  }
#undef SVC_NAME
  for (auto const& each : table) {
    CAPTURE(each.name);
    auto const p = parse_permission(each.name);
    REQUIRE(p);
    CHECK(to_string(*p) == each.name);
    CHECK_FALSE(allows(role::none, *p));
    CHECK(allows(role::project_viewer, *p) == each.viewer);
    CHECK(allows(role::project_editor, *p) == each.editor);
    for (auto admin : {role::project_admin, role::org_admin, role::org_owner}) CHECK(allows(admin, *p) == each.admin);
  }
  CHECK_FALSE(parse_permission("job:fly"));
}

TEST_CASE("names of roles: those with a permission, of all, and of administrators") {
  using names = std::vector<std::string>;
  CHECK(roles_with(permission::token_update) == names{"project_editor", "project_admin", "org_admin", "org_owner"});
  CHECK(roles_with(std::nullopt).size() == 5);
  CHECK(roles_from(role::org_admin) == names{"org_admin", "org_owner"});
  CHECK(roles_from(role::none).size() == 6);
  CHECK(administrator_roles() == names{"project_admin", "org_admin", "org_owner"});
}

TEST_CASE("only a role that is at least the owner's gives power to another person's credential") {
  constexpr role all[] = {role::none,          role::project_viewer, role::project_editor,
                          role::project_admin, role::org_admin,      role::org_owner};
  // One row for each editor, one column for each owner, in the order of `all`.
  constexpr bool expected[6][6] = {
      {true, false, false, false, false, false}, {true, true, false, false, false, false},
      {true, true, true, false, false, false},   {true, true, true, true, false, false},
      {true, true, true, true, true, false},     {true, true, true, true, true, true}};
  for (std::size_t step = 0; step < std::size(all); ++step) {
    for (std::size_t owner = 0; owner < std::size(all); ++owner) {
      CAPTURE(to_string(all[step]));
      CAPTURE(to_string(all[owner]));
      CHECK(may_empower_credential(all[step], all[owner]) == expected[step][owner]);
    }
  }
}

TEST_CASE("the organisation's role takes precedence, and a plain member has only the project's") {
  CHECK(effective_role("org_owner", "project_viewer") == role::org_owner);
  CHECK(effective_role("org_admin", "") == role::org_admin);
  CHECK(effective_role("org_member", "project_editor") == role::project_editor);
  CHECK(effective_role("org_member", "") == role::none);
  CHECK(effective_role("", "") == role::none);
}

TEST_CASE("a role in a project has a name of its own") {
  CHECK(parse_project_role("project_viewer") == role::project_viewer);
  CHECK(parse_project_role("project_editor") == role::project_editor);
  CHECK(parse_project_role("project_admin") == role::project_admin);
  for (std::string_view const other : {"", "none", "org_admin", "org_owner", "org_member", "project_owner"})
    CHECK(parse_project_role(other) == role::none);
}

TEST_CASE("the role table of organizations") {
  struct row {
    std::string_view name;
    bool member, admin, owner;
  } const table[] = {
      {"organization:view", true, true, true},     {"organization:update", false, true, true},
      {"organization:audit", false, true, true},   {"organization:runners", false, true, true},
      {"organization:govern", false, false, true}, {"member:view", true, true, true},
      {"member:update", false, true, true},        {"project:create", false, true, true},
  };
#define SVC_NAME(resource, action, least) #resource ":" #action,
  for (std::string_view const name : {SVC_ORGANIZATION_PERMISSIONS(SVC_NAME)}) {
    CAPTURE(name);
    CHECK(std::ranges::find(table, name, &row::name) != std::end(table));
  }
#undef SVC_NAME
  for (auto const& each : table) {
    CAPTURE(each.name);
    auto const p = parse_organization_permission(each.name);
    REQUIRE(p);
    CHECK_FALSE(allows(organization_role::none, *p));
    CHECK(allows(organization_role::org_member, *p) == each.member);
    CHECK(allows(organization_role::org_admin, *p) == each.admin);
    CHECK(allows(organization_role::org_owner, *p) == each.owner);
  }
  CHECK_FALSE(parse_organization_permission("job:view"));
  using names = std::vector<std::string>;
  CHECK(organization_roles_with(organization_permission::member_update) == names{"org_admin", "org_owner"});
  CHECK(organization_roles_with(std::nullopt) == names{"org_member", "org_admin", "org_owner"});
  CHECK(parse_organization_role("org_admin") == organization_role::org_admin);
  CHECK(parse_organization_role("project_admin") == organization_role::none);
  CHECK(to_string(organization_role::org_owner) == "org_owner");
}
