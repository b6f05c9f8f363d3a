// Projects and their members, as administrators see and change them with browsers.
#include "browser.hpp"

#include "svc/core/uuid.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

std::string projects_path(signed_in_member const& m) {
  return "/dashboard/v1/organizations/" +
         m.installation.word("SELECT id FROM organizations WHERE slug = '" + m.owner.organization + "'") +
         "/projects";
}

}  // namespace

TEST_CASE("an administrator creates a project, works in it, archives it and restores it") {
  signed_in_member m("org_admin");
  auto const path = projects_path(m);
  auto const made = m.page.post(path, R"({"slug":"web","name":" Web "})");
  CAPTURE(made.body);
  REQUIRE(made.status == 201);
  CHECK(text_of(body_of(made), "/name") == "Web");
  auto const id = text_of(body_of(made), "/id");
  CHECK(code_of(m.page.post(path, R"({"slug":"web","name":"Again"})")) == "name_taken");
  CHECK(m.page.post(path, R"({"slug":"Web!","name":"Web"})").status == 400);
  CHECK(body_of(m.page.get(path)).at("data").as_array().size() == 2);

  m.page.open_project(id);
  CHECK(m.page.post("/api/tags", R"({"name":"inside"})").status == 201);
  auto const shown = m.page.get("/dashboard/v1/project");
  CHECK(text_of(body_of(shown), "/slug") == "web");
  CHECK(text_of(body_of(shown), "/role") == "org_admin");
  CHECK(text_of(body_of(shown), "/organization/slug") == m.owner.organization);
  auto const tag = *shown.header("etag");
  CHECK(m.page.call("PATCH", "/dashboard/v1/project", R"({"name":"Site"})", {{"If-Match", tag}}).status == 200);
  CHECK(m.page.call("PATCH", "/dashboard/v1/project", R"({"name":"Page"})", {{"If-Match", tag}}).status == 412);

  auto const archived = m.page.post(path + "/" + id + "/archive");
  CAPTURE(archived.body);
  CHECK(archived.status == 200);
  CHECK(body_of(archived).at("archivedAt").is_string());
  for (std::size_t instance : {1U, 0U}) {
    m.page.move_to(instance);
    CHECK(code_of(m.page.post("/api/tags", R"({"name":"late"})")) == "project_not_found");
    CHECK(code_of(m.page.get("/dashboard/v1/project")) == "project_not_found");
  }
  CHECK(m.page.post(path + "/" + id + "/archive").status == 200);
  auto const restored = m.page.post(path + "/" + id + "/restore");
  CHECK(body_of(restored).at("archivedAt").is_null());
  CHECK(m.page.post("/api/tags", R"({"name":"again"})").status == 201);

  // Projects of others do not exist here.
  auto const other = m.installation.make_tenant();
  auto const foreign = project_id(m.installation, other);
  CHECK(m.page.post(path + "/" + foreign + "/archive").status == 404);
  CHECK(m.page.post(path + "/" + foreign + "/restore").status == 404);
  CHECK(m.installation.client(0, other.token).get("/api/jobs").status == 200);
}

TEST_CASE("a member without administration sees its project and changes neither projects nor members") {
  signed_in_member m("project_editor");
  auto const path = projects_path(m), archive = path + "/" + m.project + "/archive";
  CHECK(m.page.get("/dashboard/v1/project").status == 200);
  auto const members = body_of(m.page.get("/dashboard/v1/project/members"));
  REQUIRE(members.at("data").as_array().size() == 1);
  CHECK(text_of(members, "/data/0/role") == "project_editor");
  auto const own = "/dashboard/v1/project/members/" + m.member.user_id;
  CHECK(code_of(m.page.get(path)) == "permission_denied");
  CHECK(code_of(m.page.post(path, R"({"slug":"web","name":"Web"})")) == "permission_denied");
  CHECK(code_of(m.page.post(archive)) == "permission_denied");
  CHECK(code_of(m.page.call("PATCH", "/dashboard/v1/project", R"({"name":"Mine"})")) == "permission_denied");
  CHECK(code_of(m.page.call("PUT", own, R"({"role":"project_admin"})")) == "permission_denied");
  CHECK(code_of(m.page.call("DELETE", own)) == "permission_denied");
}

TEST_CASE("a project's administrator gives roles, which hold on every instance with the answer") {
  signed_in_member m("project_admin");
  auto const other = m.installation.make_member(m.owner, "project_viewer");
  browser theirs(m.installation, 1);
  theirs.sign_in(other.user);
  theirs.open_project(m.project);
  auto const path = "/dashboard/v1/project/members/" + other.user_id;
  auto const write = [&](std::string const& name) {
    return theirs.post("/api/tags", R"({"name":")" + name + R"("})");
  };
  CHECK(code_of(write("a")) == "permission_denied");
  CHECK(m.page.call("PUT", path, R"({"role":"project_editor"})").status == 200);
  CHECK(write("b").status == 201);
  CHECK(m.page.call("PUT", path, R"({"role":"org_owner"})").status == 400);
  CHECK(m.page.call("DELETE", path).status == 204);
  CHECK(code_of(write("c")) == "project_not_found");
  CHECK(code_of(m.installation.client(1, other.token).get("/api/jobs")) == "owner_without_role");
  CHECK(m.page.call("DELETE", path).status == 404);
  CHECK(m.page.call("PUT", path, R"({"role":"project_viewer"})").status == 200);
  CHECK(code_of(write("d")) == "permission_denied");
  auto const stranger = m.installation.make_tenant();
  CHECK(m.page.call("PUT", "/dashboard/v1/project/members/" + stranger.user_id, R"({"role":"project_viewer"})")
            .status == 404);
  // An administrator may lower the own role, and then no more.
  auto const own = "/dashboard/v1/project/members/" + m.member.user_id;
  CHECK(m.page.call("PUT", own, R"({"role":"project_editor"})").status == 200);
  CHECK(code_of(m.page.call("PUT", own, R"({"role":"project_admin"})")) == "permission_denied");
}

}  // namespace svc::test
