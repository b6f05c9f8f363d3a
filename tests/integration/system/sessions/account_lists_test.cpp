// The lists of a user over all organisations: tokens, sign-ins and projects.
#include "browser.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::test {

TEST_CASE("a user sees the own tokens everywhere, those that a removal has stopped included, and nobody else's") {
  signed_in_member m;
  auto const other = m.installation.make_tenant();
  m.installation.admin(
      {"add-member", "--organization", other.organization, "--user", m.member.user, "--role", "org_admin"});
  auto const made = m.installation.admin(
      {"create-token", "--project", other.project, "--owner", m.member.user, "--name", "elsewhere"});
  auto const list = body_of(m.page.get("/dashboard/v1/me/tokens"));
  REQUIRE(list.at("data").as_array().size() == 2);
  CHECK(text_of(list, "/data/0/id") == m.member.token_id);
  CHECK(text_of(list, "/data/0/projectId") == m.project);
  CHECK_FALSE(list.at("data").at(0).at("stopped").as_bool());
  CHECK(text_of(list, "/data/1/id") == text_of(made, "/id"));
  CHECK_FALSE(list.at("data").at(0).as_object().contains("key"));
  m.installation.admin({"remove-member", "--organization", other.organization, "--user", m.member.user});
  auto const stopped = body_of(m.page.get("/dashboard/v1/me/tokens"));
  CHECK(stopped.at("data").at(1).at("stopped").as_bool());
  m.installation.admin({"revoke-token", m.member.token_id});
  auto const rest = body_of(m.page.get("/dashboard/v1/me/tokens"));
  REQUIRE(rest.at("data").as_array().size() == 1);
  CHECK(text_of(rest, "/data/0/name") == "elsewhere");
}

TEST_CASE("a user sees the own sign-ins and no events of a project or of other people") {
  signed_in_member m;
  CHECK(m.page.post("/api/tags", R"({"name":"in-a-project"})").status == 201);
  browser owner(m.installation, 1);
  owner.sign_in(m.owner.user);
  owner.sign_in(m.owner.user);
  auto const list = body_of(m.page.get("/dashboard/v1/me/events"));
  auto const& rows = list.at("data").as_array();
  REQUIRE_FALSE(rows.empty());
  CHECK(std::ranges::any_of(rows, [](auto const& row) { return row.at("action").as_string() == "session.created"; }));
  for (auto const& row : rows) {
    CHECK(text_of(row, "/actor/id") == m.member.user_id);
    CHECK(row.at("action").as_string() != "tag.created");
  }
}

TEST_CASE("a user finds the projects with a role of the own, in all organizations") {
  signed_in_member m;
  auto const other = m.installation.make_tenant();
  auto const names = [&](std::string const& search = {}) {
    auto const got =
        body_of(m.page.get("/dashboard/v1/projects" + (search.empty() ? std::string() : "?search=" + search)));
    std::vector<std::string> ids;
    for (auto const& row : got.at("data").as_array()) ids.push_back(text_of(row, "/id"));
    return ids;
  };
  using ids = std::vector<std::string>;
  CHECK(names() == ids{m.project});
  m.installation.admin(
      {"add-member", "--organization", other.organization, "--user", m.member.user, "--role", "org_member"});
  CHECK(names() == ids{m.project});
  m.installation.admin(
      {"add-member", "--organization", other.organization, "--user", m.member.user, "--role", "org_admin"});
  auto const second = project_id(m.installation, other);
  auto const all = names();
  CHECK(all.size() == 2);
  CHECK(std::ranges::find(all, second) != all.end());
  CHECK(names(other.organization + "%2F") == ids{second});
  CHECK(names("%25").empty());
  auto const list = body_of(m.page.get("/dashboard/v1/projects?search=" + other.organization));
  CHECK(text_of(list, "/data/0/role") == "org_admin");
  CHECK(list.at("data").at(0).at("policyMet").as_bool());
  m.installation.admin({"archive-project", "--project", other.project});
  CHECK(names() == ids{m.project});
}

}  // namespace svc::test
