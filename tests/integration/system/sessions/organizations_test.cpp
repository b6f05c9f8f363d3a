// Organisations and their members, as administrators and owners see and change them with browsers.
#include "browser.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace svc::test {
namespace {

/// A member's browser and the paths of the organisation.
struct administered : signed_in_member {
  std::string id = installation.word("SELECT id FROM organizations WHERE slug = '" + owner.organization + "'");
  std::string path = "/dashboard/v1/organizations/" + id;

  using signed_in_member::signed_in_member;

  std::string member_path(tenant const& subject) const { return path + "/members/" + subject.user_id; }
  answer set_role(browser& page_of_agent, tenant const& subject, std::string const& role) const {
    return page_of_agent.call("PATCH", member_path(subject), R"({"role":")" + role + R"("})");
  }
};

}  // namespace

TEST_CASE("the operations of an organization are refused to whoever has no role that permits them") {
  administered m("project_viewer");
  auto const stranger = m.installation.make_tenant();
  browser other(m.installation, 1);
  other.sign_in(stranger.user);
  auto const policy = R"({"signIn":"any"})", name = R"({"name":"Acme"})", role = R"({"role":"org_member"})";
  auto const someone = m.member_path(m.member);
  struct {
    char const* method;
    std::string target, body;
    char const* by_member;
    char const* by_admin;
  } const cases[] = {
      {"GET", m.path, {}, "", ""},
      {"PATCH", m.path, name, "permission_denied", ""},
      {"PUT", m.path + "/sign-in-policy", policy, "permission_denied", "permission_denied"},
      {"GET", m.path + "/audit", {}, "permission_denied", ""},
      {"GET", m.path + "/members", {}, "", ""},
      {"PATCH", someone, role, "permission_denied", ""},
      {"GET", someone + "/impact", {}, "permission_denied", ""},
      {"DELETE", m.member_path(m.owner), {}, "permission_denied", "permission_denied"},
  };
  auto const admin = m.installation.make_member(m.owner, "org_admin");
  browser by_admin(m.installation, 1);
  by_admin.sign_in(admin.user);
  for (auto const& c : cases) {
    CAPTURE(c.method);
    CAPTURE(c.target);
    auto const got = m.page.call(c.method, c.target, c.body);
    CHECK(got.status == (*c.by_member == '\0' ? 200 : 403));
    if (got.status != 200) CHECK(code_of(got) == c.by_member);
    auto const administers = by_admin.call(c.method, c.target, c.body);
    CHECK(administers.status == (*c.by_admin == '\0' ? 200 : 403));
    auto const foreign = other.call(c.method, c.target, c.body);
    CHECK(foreign.status == 404);
    CHECK(code_of(foreign) == "not_found");
  }
}

TEST_CASE("an administrator renames the organization by its version, and reads who renamed it") {
  administered m("org_admin");
  auto const read = m.page.get(m.path);
  REQUIRE(read.status == 200);
  CHECK(text_of(body_of(read), "/slug") == m.owner.organization);
  CHECK(text_of(body_of(read), "/role") == "org_admin");
  CHECK(text_of(body_of(read), "/signInPolicy/signIn") == "any");
  auto const tag = *read.header("etag");
  auto const done = m.page.call("PATCH", m.path, R"({"name":" New name "})", {{"If-Match", tag}});
  CAPTURE(done.body);
  CHECK(done.status == 200);
  CHECK(text_of(body_of(done), "/name") == "New name");
  CHECK(m.page.call("PATCH", m.path, R"({"name":"Newer"})", {{"If-Match", tag}}).status == 412);
  CHECK(m.page.call("PATCH", m.path, R"({"name":" "})").status == 400);
  CHECK(m.page.call("PATCH", m.path, R"({"slug":"other"})").status == 400);
  m.page.move_to(1);
  CHECK(text_of(body_of(m.page.get(m.path)), "/name") == "New name");

  auto const rows = body_of(m.page.get(m.path + "/audit?action=organization.updated"));
  REQUIRE(rows.at("data").as_array().size() == 1);
  CHECK(text_of(rows, "/data/0/actor/id") == m.member.user_id);
  CHECK(text_of(rows, "/data/0/details/name") == "New name");
  CHECK(m.page.post("/api/tags", R"({"name":"listed"})").status == 201);
  auto const filter = "/audit?action=tag.created&projectId=";
  CHECK(body_of(m.page.get(m.path + filter + m.project)).at("data").as_array().size() == 1);
  auto const other = m.installation.make_tenant();
  auto const foreign = project_id(m.installation, other);
  CHECK(body_of(m.page.get(m.path + "/audit?projectId=" + foreign)).at("data").as_array().empty());
}

TEST_CASE("a sign-in policy is in force on every instance with its answer, and locks out none of its authors") {
  administered m("org_owner");
  auto const policy = [&](std::string const& body) { return m.page.call("PUT", m.path + "/sign-in-policy", body); };
  auto const refused = policy(R"({"signIn":"oidc"})");
  CHECK(refused.status == 409);
  CHECK(code_of(refused) == "policy_would_lock_out");
  CHECK(policy(R"({"signIn":"oidc","providers":["a","a"]})").status == 400);

  // A browser whose session began at a provider.
  m.installation.sql("UPDATE sessions SET method = 'oidc', provider = 'one' WHERE user_id = '" + m.member.user_id +
                     "'; SELECT bump_subjects(ARRAY['" + m.member.user_id + "'::uuid])");
  browser other(m.installation, 1);
  other.sign_in(m.owner.user);
  other.open_project(m.project);
  CHECK(other.get("/api/jobs").status == 200);
  CHECK(code_of(policy(R"({"signIn":"oidc","providers":["two"]})")) == "policy_would_lock_out");
  auto const set = policy(R"({"signIn":"oidc","providers":["one"]})");
  CAPTURE(set.body);
  CHECK(set.status == 200);
  CHECK(text_of(body_of(set), "/signInPolicy/providers/0") == "one");
  for (std::size_t instance : {0U, 1U}) {
    other.move_to(instance);
    CHECK(code_of(other.get("/api/jobs")) == "policy_not_met");
    CHECK(code_of(other.get(m.path)) == "policy_not_met");
    CHECK(other.get("/dashboard/v1/me").status == 200);
    m.page.move_to(instance);
    CHECK(m.page.get("/api/jobs").status == 200);
  }
  CHECK(m.installation.client(0, m.owner.token).get("/api/jobs").status == 200);
  CHECK(policy(R"({"signIn":"any"})").status == 200);
  CHECK(other.get("/api/jobs").status == 200);
}

TEST_CASE("an administrator sees members, and only owners set and remove owners") {
  administered m("org_admin");
  auto const list = body_of(m.page.get(m.path + "/members"));
  REQUIRE(list.at("data").as_array().size() == 2);
  CHECK(text_of(list, "/data/0/email") == m.owner.user);
  CHECK(text_of(list, "/data/0/role") == "org_owner");
  CHECK(list.at("data").at(0).as_object().contains("projects"));

  auto const plain = m.installation.make_member(m.owner, "project_viewer");
  browser viewer(m.installation, 1);
  viewer.sign_in(plain.user);
  CHECK_FALSE(body_of(viewer.get(m.path + "/members")).at("data").at(0).as_object().contains("projects"));

  CHECK(m.set_role(m.page, plain, "org_owner").status == 403);
  CHECK(code_of(m.set_role(m.page, m.owner, "org_member")) == "permission_denied");
  CHECK(code_of(m.page.call("DELETE", m.member_path(m.owner))) == "permission_denied");
  CHECK(viewer.get(m.path + "/audit").status == 403);
  auto const raised = m.set_role(m.page, plain, "org_admin");
  CHECK(raised.status == 200);
  CHECK(text_of(body_of(raised), "/role") == "org_admin");
  // The raised role holds on the other instance with the answer, and so does the lowered one.
  CHECK(viewer.get(m.path + "/audit").status == 200);
  CHECK(m.set_role(m.page, plain, "org_member").status == 200);
  CHECK(code_of(viewer.get(m.path + "/audit")) == "permission_denied");
  m.installation.sql("UPDATE organization_members SET source = 'idp' WHERE user_id = '" + plain.user_id + "'");
  CHECK(code_of(m.set_role(m.page, plain, "org_admin")) == "role_managed_by_provider");
  CHECK(m.set_role(m.page, plain, "org_captain").status == 400);
  CHECK(m.page.call("PATCH", m.path + "/members/" + uuid::generate_v7().to_string(), R"({"role":"org_member"})")
            .status == 404);

  browser owner(m.installation);
  owner.sign_in(m.owner.user);
  CHECK(code_of(m.set_role(owner, m.owner, "org_admin")) == "last_owner");
  CHECK(code_of(owner.call("DELETE", m.member_path(m.owner))) == "last_owner");
  CHECK(m.set_role(owner, m.member, "org_owner").status == 200);
  CHECK(m.set_role(owner, m.owner, "org_admin").status == 200);
  CHECK(code_of(m.set_role(owner, m.member, "org_admin")) == "permission_denied");
}

TEST_CASE("a removed member and the tokens that the impact has named are refused everywhere with the answer") {
  administered m("org_admin");
  auto const leaving = m.installation.make_member(m.owner, "project_editor");
  browser theirs(m.installation, 1);
  theirs.sign_in(leaving.user);
  theirs.open_project(m.project);
  CHECK(theirs.get("/api/jobs").status == 200);
  auto const impact = body_of(m.page.get(m.member_path(leaving) + "/impact"));
  REQUIRE(impact.at("data").as_array().size() == 1);
  CHECK(text_of(impact, "/data/0/id") == leaving.token_id);
  CHECK(text_of(impact, "/data/0/kind") == "cli");
  CHECK(text_of(impact, "/data/0/projectId") == m.project);

  CHECK(m.page.call("DELETE", m.member_path(leaving), {}, {{"If-Match", "\"7-x\""}}).status == 412);
  CHECK(m.page.call("DELETE", m.member_path(leaving)).status == 204);
  for (std::size_t instance : {1U, 0U}) {
    theirs.move_to(instance);
    CHECK(code_of(theirs.get("/api/jobs")) == "project_not_found");
    CHECK(code_of(theirs.get(m.path)) == "not_found");
    CHECK(code_of(m.installation.client(instance, leaving.token).get("/api/jobs")) == "owner_removed");
  }
  CHECK(theirs.get("/dashboard/v1/me").status == 200);
  CHECK(m.page.get(m.member_path(leaving) + "/impact").status == 404);
  CHECK(m.page.call("DELETE", m.member_path(leaving)).status == 404);
  m.installation.sql(
      "UPDATE sessions SET authenticated_at = authenticated_at - interval '16 minutes' WHERE user_id = '" +
      m.member.user_id + "'; SELECT bump_subjects(ARRAY['" + m.member.user_id + "'::uuid])");
  auto const soon = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::string code;
  while (code != "fresh_sign_in_required" && std::chrono::steady_clock::now() < soon)
    code = code_of(m.page.call("DELETE", m.member_path(m.owner)));
  CHECK(code == "fresh_sign_in_required");
}

TEST_CASE("64 owners who remove each other at once on four instances leave one owner") {
  fleet installation(4);
  auto const first = installation.make_tenant();
  auto const organization =
      installation.word("SELECT id FROM organizations WHERE slug = '" + first.organization + "'");
  struct agent {
    std::string user, secret;
  };
  std::vector<agent> all;
  for (int i = 0; i < 64; ++i) {
    auto const minted = mint_token(token_kind::session);
    all.push_back({uuid::generate_v7().to_string(), std::string(minted.key.reveal())});
    auto const& user = all.back().user;
    installation.sql("INSERT INTO subjects (id) VALUES ('" + user +
                     "'); INSERT INTO users (id, email, name) VALUES ('" + user + "', '" + user +
                     "@example.org', 'Owner'); INSERT INTO organization_members (organization_id, user_id, role)"
                     " VALUES ('" +
                     organization + "', '" + user +
                     "', 'org_owner'); INSERT INTO sessions (id, user_id, digest, method, expires_at)"
                     " VALUES (gen_random_uuid(), '" +
                     user + "', '\\x" + to_hex(minted.digest) + "', 'link', clock_timestamp() + interval '1 day')");
  }
  installation.sql("DELETE FROM organization_members WHERE user_id = '" + first.user_id + "'");

  std::atomic<int> odd{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all.size(); ++i)
    threads.emplace_back([&, i] {
      auto client = installation.client(i % 4);
      header_list const headers{{"Cookie", std::string(session_cookie_name) + "=" + all[i].secret},
                                {"Sec-Fetch-Site", "same-origin"}};
      auto const path = "/dashboard/v1/organizations/" + organization;
      for (std::size_t n = 1; n < all.size(); ++n) {
        auto const& other = all[(i + n) % all.size()].user;
        auto const remove = [&] { return client.http().request("DELETE", path + "/members/" + other, headers); };
        auto got = remove();
        while (got.status == 503) got = remove();
        // Either the other one has gone already, or this one has; then the other one may be the last owner.
        bool const last = got.status == 409 && code_of(got) == "last_owner";
        if (got.status != 204 && got.status != 404 && !last) ++odd;
        auto const gone = [&] { return client.http().request("GET", path, headers).status == 404; };
        if (got.status == 404 && gone()) return;
        if (!last) continue;
        // Its removal may have been committed without being published yet.
        auto const late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!gone())
          if (std::chrono::steady_clock::now() > late) {
            ++odd;
            break;
          }
        return;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(odd == 0);
  CHECK(
      installation.word("SELECT count(*) FROM organization_members WHERE role = 'org_owner' AND organization_id = '" +
                        organization + "'") == "1");
  CHECK(installation.word("SELECT count(*) FROM audit_log WHERE action = 'member.removed' AND organization_id = '" +
                          organization + "'") == "63");
  auto const last = installation.word(
      "SELECT user_id FROM organization_members WHERE role = 'org_owner'"
      " AND organization_id = '" +
      organization + "'");
  for (auto const& each : all) {
    if (each.user != last) continue;
    auto client = installation.client(0);
    auto const got = client.http().request(
        "DELETE", "/dashboard/v1/organizations/" + organization + "/members/" + last,
        {{"Cookie", std::string(session_cookie_name) + "=" + each.secret}, {"Sec-Fetch-Site", "same-origin"}});
    CHECK(code_of(got) == "last_owner");
  }
}

}  // namespace svc::test
