#include "integration/system/faults/faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/overload/worker_connections.hpp"

#include <doctest/doctest.h>

#include <thread>

namespace svc::test {
namespace {

constexpr std::string_view tokens = "/api/cli-tokens";

struct made_token {
  std::string id, key;
};

made_token create(api_client& client, std::string const& name) {
  auto const got = client.post(tokens, R"({"name":")" + name + R"("})");
  REQUIRE(got.status == 201);
  auto const body = body_of(got);
  return {text_of(body, "/token/id"), text_of(body, "/token/key")};
}

/// The actions on one resource, oldest first, as listed by `svcd admin audit`.
std::vector<std::string> audit_of(fleet const& fleet, tenant const& tenant, std::string const& resource) {
  std::vector<std::string> actions;
  auto const said = fleet.admin({"audit", "--organization", tenant.organization, "--limit", "1000"});
  for (auto const& row : said.at("rows").as_array()) {
    if (row.at("resourceId").is_null() || text_of(row, "/resourceId") != resource) continue;
    CHECK(text_of(row, "/tokenId") == tenant.token_id);
    CHECK(text_of(row, "/actorId") == tenant.user_id);
    actions.insert(actions.begin(), text_of(row, "/action"));
  }
  return actions;
}

TEST_CASE("a token's life: created, used, disabled, enabled, revoked, each takes effect at once and is audited") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);

  auto const made = owner.post(tokens, R"({"name":"ci","expiresIn":3600.0})");
  REQUIRE(made.status == 201);
  auto const id = text_of(body_of(made), "/token/id");
  auto const key = text_of(body_of(made), "/token/key");
  CHECK(key.starts_with("svc_live_"));
  CHECK(key.size() == 9 + 32 + 6);
  CHECK(text_of(body_of(made), "/token/start") == key.substr(0, 13) + "...");
  CHECK(made.header("location") == "/api/cli-tokens/" + id);
  CHECK(made.header("cache-control") == "no-store");

  auto const list = owner.get(tokens);
  CHECK(list.status == 200);
  CHECK(list.body.find(id) != std::string::npos);
  CHECK(list.body.find("\"key\"") == std::string::npos);
  CHECK(list.body.find(key) == std::string::npos);
  CHECK(owner.get("/api/cli-tokens/" + id).body.find("\"key\"") == std::string::npos);

  auto connections = connections_of(fleet, key);
  CHECK(whoami(connections) == "200");
  auto const path = "/api/cli-tokens/" + id;
  CHECK(owner.patch(path, R"({"enabled":false})").status == 200);
  CHECK(whoami(connections) == "401 token_disabled");
  CHECK(owner.patch(path, R"({"enabled":true})").status == 200);
  CHECK(whoami(connections) == "200");
  CHECK(owner.del(path).status == 204);
  CHECK(whoami(connections) == "401 token_revoked");

  CHECK(code_of(owner.del(path)) == "not_found");
  CHECK(code_of(owner.patch(path, R"({"enabled":true})")) == "not_found");
  CHECK(code_of(owner.get(path)) == "not_found");
  CHECK(owner.get(tokens).body.find(id) == std::string::npos);
  CHECK(audit_of(fleet, tenant, id) == std::vector<std::string>{"cli_token.created", "cli_token.disabled",
                                                                "cli_token.enabled", "cli_token.revoked"});
}

TEST_CASE("a token's name is unique among the unrevoked, and trimmed") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(1, tenant.token);
  auto const first = create(owner, "one");
  auto const second = create(owner, "two");
  CHECK(code_of(owner.post(tokens, R"({"name":" one "})")) == "name_taken");
  CHECK(code_of(owner.patch("/api/cli-tokens/" + second.id, R"({"name":"one"})")) == "name_taken");
  CHECK(owner.patch("/api/cli-tokens/" + second.id, R"({"name":" three "})").status == 200);
  CHECK(text_of(body_of(owner.get("/api/cli-tokens/" + second.id)), "/name") == "three");
  CHECK(owner.del("/api/cli-tokens/" + first.id).status == 204);
  CHECK(owner.post(tokens, R"({"name":"one"})").status == 201);
}

TEST_CASE("a token read by itself: ETag, 304, and 412 for a change to an outdated version") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const path = "/api/cli-tokens/" + create(owner, "ci").id;
  auto const etag = owner.get(path).header("etag").value();

  auto const unchanged = owner.call("GET", path, {}, {{"If-None-Match", etag}});
  CHECK(unchanged.status == 304);
  CHECK(unchanged.body.empty());
  CHECK(unchanged.header("etag") == etag);
  CHECK(unchanged.header("ratelimit-policy").value_or("").starts_with("\"cli\""));
  CHECK(owner.call("PATCH", path, R"({"enabled":false})", {{"If-Match", etag}}).status == 200);
  CHECK(owner.call("GET", path, {}, {{"If-None-Match", etag}}).status == 200);
  CHECK(code_of(owner.call("PATCH", path, R"({"enabled":true})", {{"If-Match", etag}})) == "precondition_failed");
  CHECK(owner.call("DELETE", path, {}, {{"If-Match", etag}}).status == 412);
  CHECK(owner.call("DELETE", path, {}, {{"If-Match", "*"}}).status == 204);
}

TEST_CASE("the lifetime of a new token is checked") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  struct {
    std::string life;
    int expected;
  } const cases[] = {{"59", 400},       {"60", 201},   {"315360000", 201}, {"315360001", 400}, {"3600.5", 400},
                     {"\"3600\"", 400}, {"true", 400}, {"0", 400},         {"-60", 400},       {"36e2", 201}};
  int i = 0;
  for (auto const& c : cases) {
    CAPTURE(c.life);
    auto const body = R"({"name":"n)" + std::to_string(++i) + R"(","expiresIn":)" + c.life + "}";
    CHECK(owner.post(tokens, body).status == c.expected);
  }
}

TEST_CASE("a token works until it expires, and not longer, on every instance") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const token = create(owner, "short");
  auto connections = connections_of(fleet, token.key);
  fleet.sql("UPDATE tokens SET expires_at = clock_timestamp() + interval '2 s' WHERE id = '" + token.id + "'");
  CHECK(whoami(connections) == "200");
  fleet.sql("SELECT pg_sleep_until(expires_at) FROM tokens WHERE id = '" + token.id + "'");
  // The workers know the database's time except for the delay of the read from which they learnt it.
  fleet.sql("SELECT pg_sleep(0.1)");
  CHECK(whoami(connections) == "401 token_expired");
  // It still counts, and an administrator can see and delete it.
  CHECK(owner.del("/api/cli-tokens/" + token.id).status == 204);
  CHECK(whoami(connections) == "401 token_revoked");
}

TEST_CASE("changes that end and restore a member's tokens take effect at once, on every instance") {
  auto& fleet = shared_fleet();
  auto const boss = fleet.make_tenant();
  auto const member = fleet.make_member(boss, "project_admin");
  auto connections = connections_of(fleet, member.token);
  using words = std::vector<std::string>;
  struct {
    std::string name;
    words command;
    std::string expected;
  } const steps[] = {
      {"ban", {"ban-user", "--user", member.user}, "401 owner_disabled"},
      {"unban", {"unban-user", "--user", member.user}, "200"},
      {"archive", {"archive-project", "--project", boss.project}, "401 project_archived"},
      {"unarchive", {"unarchive-project", "--project", boss.project}, "200"},
      {"role taken", {"remove-member", "--project", boss.project, "--user", member.user}, "401 owner_without_role"},
      {"role given",
       {"add-member", "--project", boss.project, "--user", member.user, "--role", "project_viewer"},
       "200"},
      {"removed", {"remove-member", "--organization", boss.organization, "--user", member.user}, "401 owner_removed"},
      {"member again",
       {"add-member", "--organization", boss.organization, "--user", member.user, "--role", "org_admin"},
       "401 owner_removed"},
      {"revoked", {"revoke-token", member.token_id}, "401 token_revoked"},
  };
  CHECK(whoami(connections) == "200");
  for (auto const& step : steps) {
    CAPTURE(step.name);
    fleet.admin(step.command);
    CHECK(whoami(connections) == step.expected);
  }
}

TEST_CASE("a role is looked up live: its permissions change with the next request") {
  auto& fleet = shared_fleet();
  auto const boss = fleet.make_tenant();
  auto const member = fleet.make_member(boss, "project_admin");
  auto connections = connections_of(fleet, member.token);
  auto const role = [&](std::string const& name) {
    fleet.admin({"set-role", "--project", boss.project, "--user", member.user, "--role", name});
  };
  CHECK(answers_by(connections, "GET", tokens) == "200");
  role("project_viewer");
  CHECK(answers_by(connections, "GET", tokens) == "403 permission_denied");
  CHECK(answers_by(connections, "GET", "/api/jobs") == "200");
  role("project_editor");
  CHECK(answers_by(connections, "GET", tokens) == "200");
  // Revoking the tokens of others is for administrators; everybody may revoke their own.
  auto client = fleet.client(1, member.token);
  CHECK(code_of(client.del("/api/cli-tokens/" + boss.token_id)) == "permission_denied");
  CHECK(client.del("/api/cli-tokens/" + member.token_id).status == 204);
  CHECK(whoami(connections) == "401 token_revoked");
}

TEST_CASE("a token that an administrator disabled can only be enabled by an administrator") {
  auto& fleet = shared_fleet();
  auto const boss = fleet.make_tenant();
  auto const member = fleet.make_member(boss, "project_editor");
  auto owner = fleet.client(0, boss.token);
  auto editor = fleet.client(1, member.token);
  auto const other = create(editor, "spare");
  auto const path = "/api/cli-tokens/" + other.id;
  CHECK(editor.patch(path, R"({"enabled":false})").status == 200);
  CHECK(editor.patch(path, R"({"enabled":true})").status == 200);
  CHECK(owner.patch(path, R"({"enabled":false})").status == 200);
  CHECK(code_of(editor.patch(path, R"({"enabled":true})")) == "disabled_by_administrator");
  CHECK(owner.patch(path, R"({"enabled":true})").status == 200);
}

TEST_CASE(
    "an editor disables everybody's tokens, enables those of editors and revokes their own; a viewer does nothing") {
  auto& fleet = shared_fleet();
  auto const boss = fleet.make_tenant();
  auto const other = fleet.make_member(boss, "project_editor");
  auto editor = fleet.client(1, fleet.make_member(boss, "project_editor").token);
  auto viewer = fleet.client(0, fleet.make_member(boss, "project_viewer").token);
  for (auto const* const owner : {&boss, &other}) {
    auto const& tenant = *owner;
    CAPTURE(tenant.user);
    auto const path = "/api/cli-tokens/" + tenant.token_id;
    auto connections = connections_of(fleet, tenant.token);
    CHECK(code_of(viewer.patch(path, R"({"enabled":false})")) == "permission_denied");
    CHECK(code_of(editor.del(path)) == "permission_denied");
    CHECK(whoami(connections) == "200");
    CHECK(editor.patch(path, R"({"enabled":false})").status == 200);
    CHECK(whoami(connections) == "401 token_disabled");
    CHECK(code_of(viewer.patch(path, R"({"enabled":true})")) == "permission_denied");
    // Whoever enables an administrator's token that leaked would be an administrator.
    bool const equal = &tenant == &other;
    CHECK(editor.patch(path, R"({"enabled":true})").status == (equal ? 200 : 403));
    CHECK(whoami(connections) == (equal ? "200" : "401 token_disabled"));
  }
}

TEST_CASE("a role lost unannounced between admission and COMMIT no longer changes anybody else's token or key") {
  auto& fleet = shared_fleet();
  auto const boss = fleet.make_tenant();
  auto const member = fleet.make_member(boss, "project_admin");
  auto owner = fleet.client(1, boss.token);
  auto const job = make_job(owner);
  std::string const keys = "/api/jobs/" + job + "/trigger-keys";
  struct {
    std::string verb, path;
    std::string body{};
    answer got{};
  } changes[] = {
      {"PATCH", "/api/cli-tokens/" + create(owner, "patched").id, R"({"enabled":false})"},
      {"DELETE", "/api/cli-tokens/" + create(owner, "deleted").id},
      {"PATCH", keys + "/" + make_key(owner, job, "patched").id, R"({"name":"taken"})"},
      {"DELETE", keys + "/" + make_key(owner, job, "deleted").id},
  };
  REQUIRE(fleet.client(0, member.token).get("/api/auth/whoami").status == 200);
  auto const seen = [&] {
    return body_of(owner.get("/api/cli-tokens")).at("data").as_array().size() * 10 +
           body_of(owner.get(keys)).at("data").as_array().size();
  };
  auto const before = seen();
  auto const admitted = [&] { return std::stoi(fleet.redis({"LLEN", "svc:{" + member.user_id + "}:w:cli:60"})); };
  auto const first = admitted();
  CHECK(fleet.pages(0).post("/debug/failpoints", "pipeline.before_handler=delay:1500*4").status == 200);
  {
    std::vector<std::jthread> all;
    for (auto& entry : changes)
      all.emplace_back([&fleet, &member, &entry] {
        entry.got = fleet.client(0, member.token).call(entry.verb, entry.path, entry.body, {});
      });
    REQUIRE(comes_true([&] { return admitted() == first + 4; }, milliseconds(1300)));
    // Like a change whose instance died after its COMMIT: no epoch reaches Redis before the relay's next pass.
    fleet.sql("UPDATE project_members SET role = 'project_viewer' WHERE user_id = '" + member.user_id + "'");
    fleet.sql("SELECT bump_subjects(ARRAY['" + member.user_id + "'::uuid])");
  }
  for (auto const& entry : changes) {
    CAPTURE(entry.verb);
    CAPTURE(entry.path);
    CHECK(entry.got.status == 403);
    CHECK(code_of(entry.got) == "permission_denied");
  }
  CHECK(seen() == before);
  CHECK(owner.get(changes[0].path).body.find(R"("enabled":true)") != std::string::npos);
}

}  // namespace
}  // namespace svc::test
