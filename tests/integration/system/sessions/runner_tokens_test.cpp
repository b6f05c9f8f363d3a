// Runner tokens as administrators create and revoke them with browsers.
#include "browser.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

struct administering : signed_in_member {
  std::string id = installation.word("SELECT id FROM organizations WHERE slug = '" + owner.organization + "'");
  std::string path = "/dashboard/v1/organizations/" + id + "/runner-tokens";
  std::string own = "/dashboard/v1/project/runner-tokens";

  using signed_in_member::signed_in_member;
};

}  // namespace

TEST_CASE("an administrator creates runner tokens, shows each secret once, and revokes them") {
  administering m("org_admin");
  auto const made = m.page.post(m.path, R"({"name":" build farm "})");
  CAPTURE(made.body);
  REQUIRE(made.status == 201);
  CHECK(made.header("cache-control") == "no-store");
  auto const key = text_of(body_of(made), "/key");
  CHECK(key.starts_with("svc_runner_"));
  CHECK(text_of(body_of(made), "/name") == "build farm");
  CHECK(body_of(made).at("project").is_null());
  CHECK(text_of(body_of(made), "/createdBy/id") == m.member.user_id);
  CHECK(m.installation.word("SELECT count(*) FROM runner_tokens WHERE digest = sha256('" + key +
                            "'::bytea) AND revoked_at IS NULL") == "1");
  CHECK(code_of(m.page.post(m.path, R"({"name":"build farm"})")) == "name_taken");
  CHECK(m.page.post(m.path, R"({"name":""})").status == 400);
  auto const of_project = m.page.post(m.own, R"({"name":"own"})");
  REQUIRE(of_project.status == 201);
  CHECK(text_of(body_of(of_project), "/project/id") == m.project);

  auto const listed = m.page.get(m.path);
  CHECK(listed.body.find(key) == std::string::npos);
  CHECK(body_of(listed).at("data").as_array().size() == 2);
  CHECK(body_of(m.page.get(m.own)).at("data").as_array().size() == 1);
  auto const id = text_of(body_of(made), "/id");
  m.installation.sql("INSERT INTO runners (id, token_id, name, version, labels, slots) VALUES (gen_random_uuid(), '" +
                     id + "', 'box', '1', '{linux}', 4)");
  for (auto const& target :
       {m.path.substr(0, m.path.rfind('/')) + "/runners", std::string("/dashboard/v1/project/runners")}) {
    auto const runners = body_of(m.page.get(target));
    CHECK(text_of(runners, "/data/0/name") == "box");
    CHECK(text_of(runners, "/data/0/labels/0") == "linux");
    CHECK(text_of(runners, "/data/0/token/id") == id);
    CHECK(boost::json::value(runners).at_pointer("/data/0/busy") == 0);
  }
  // A project's own list does not reach a token of the organisation.
  CHECK(code_of(m.page.call("DELETE", m.own + "/" + id)) == "not_found");
  CHECK(m.page.call("DELETE", m.path + "/" + id, {}, {{"If-Match", "\"9-x\""}}).status == 412);
  CHECK(m.page.call("DELETE", m.path + "/" + id).status == 204);
  CHECK(code_of(m.page.call("DELETE", m.path + "/" + id)) == "not_found");
  CHECK(m.page.call("DELETE", m.own + "/" + text_of(body_of(of_project), "/id")).status == 204);
  CHECK(body_of(m.page.get(m.path)).at("data").as_array().empty());
  auto const audit = m.path.substr(0, m.path.rfind('/')) + "/audit?action=";
  CHECK(body_of(m.page.get(audit + "runner.created")).at("data").as_array().size() == 2);
  auto const revoked = body_of(m.page.get(audit + "runner.revoked"));
  REQUIRE(revoked.at("data").as_array().size() == 2);
  CHECK(text_of(revoked, "/data/0/actor/id") == m.member.user_id);
  CHECK_FALSE(text_of(revoked, "/data/0/actor/sessionId").empty());
}

TEST_CASE("an impact shows the runner tokens of the member's making, which stay valid after the removal by a page") {
  administering m("org_admin");
  REQUIRE(m.page.post(m.path, R"({"name":"farm"})").status == 201);
  REQUIRE(m.page.post(m.own, R"({"name":"own"})").status == 201);
  browser by_owner(m.installation, 1);
  by_owner.sign_in(m.owner.user);
  auto const member = m.path.substr(0, m.path.rfind('/')) + "/members/" + m.member.user_id;
  auto const impact = body_of(by_owner.get(member + "/impact"));
  auto const known = impact.at("runnerTokens").as_object();
  CHECK(known.at("total") == boost::json::value(2));
  CHECK(text_of(known, "/note").find("stay valid") != std::string::npos);
  CHECK(text_of(known, "/tokens/0/name") == "farm");
  CHECK(known.at("tokens").at(0).at("projectId").is_null());
  CHECK(text_of(known, "/tokens/1/projectId") == m.project);
  auto const planned = m.installation.admin(
      {"remove-member", "--organization", m.owner.organization, "--user", m.member.user, "--dry-run"});
  CHECK(planned.at("stops").as_array().size() == impact.at("data").as_array().size());
  CHECK(text_of(planned, "/runnerTokens/0/name") == "farm");
  CHECK(planned.at("runnerTokens").at(0).at("project").is_null());
  CHECK(text_of(planned, "/runnerTokens/1/project") == m.project);
  CHECK(by_owner.call("DELETE", member).status == 204);
  CHECK(body_of(by_owner.get(m.path)).at("data").as_array().size() == 2);
}

TEST_CASE("the 51st runner token of an organization is refused, those of its projects included") {
  administering m("org_admin");
  m.installation.sql(
      "INSERT INTO runner_tokens (id, organization_id, name, start, digest) SELECT gen_random_uuid(), '" + m.id +
      "', 'n' || n, 'svc_runner_', sha256(convert_to('" + m.id + "' || n, 'UTF8')) FROM generate_series(1, 49) n");
  CHECK(m.page.post(m.own, R"({"name":"last"})").status == 201);
  CHECK(code_of(m.page.post(m.path, R"({"name":"more"})")) == "runner_token_limit_reached");
  CHECK(code_of(m.page.post(m.own, R"({"name":"more"})")) == "runner_token_limit_reached");
}

TEST_CASE("runner tokens are for administrators of the organization or of the project, with a fresh sign-in") {
  administering m("project_editor");
  auto const admin = m.installation.make_member(m.owner, "project_admin");
  browser by_admin(m.installation, 1), foreign(m.installation);
  by_admin.sign_in(admin.user);
  by_admin.open_project(m.project);
  foreign.sign_in(m.installation.make_tenant().user);
  foreign.open_project(m.project);
  auto const some = "/01934f2e-0000-7d3e-9b1f-5a2c8e4d6f70";
  struct {
    char const* method;
    std::string target, body;
    unsigned by_admin;
  } const cases[] = {
      {"GET", m.path, {}, 403},
      {"POST", m.path, R"({"name":"a"})", 403},
      {"DELETE", m.path + some, {}, 403},
      {"GET", m.path.substr(0, m.path.rfind('/')) + "/runners", {}, 403},
      {"GET", m.own, {}, 200},
      {"POST", m.own, R"({"name":"a"})", 201},
      {"DELETE", m.own + some, {}, 404},
      {"GET", "/dashboard/v1/project/runners", {}, 200},
  };
  for (auto const& c : cases) {
    CAPTURE(c.method);
    CAPTURE(c.target);
    CHECK(code_of(m.page.call(c.method, c.target, c.body)) == "permission_denied");
    CHECK(foreign.call(c.method, c.target, c.body).status == 404);
    auto const got = by_admin.call(c.method, c.target, c.body);
    CAPTURE(got.body);
    CHECK(got.status == c.by_admin);
  }
  age_sign_in(m.installation, by_admin, admin);
  CHECK(code_of(by_admin.post(m.own, R"({"name":"b"})")) == "fresh_sign_in_required");
}

}  // namespace svc::test
