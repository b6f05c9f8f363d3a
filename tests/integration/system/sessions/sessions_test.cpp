// Sessions of browsers over real sockets and several instances: sign-in, use, and every way in which they end.
#include "browser.hpp"

#include "svc/core/uuid.hpp"
#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace svc::test {
namespace {

TEST_CASE(
    "from an empty directory by bootstrap and a cookie: sign in, list jobs, trigger a run, sign out, be refused") {
  auto& installation = session_fleet();
  auto const made = installation.admin({"bootstrap", "--email", "grace@example.org", "--name", "Grace",
                                        "--organization", "fleet-one", "--project", "ship"});
  CHECK(made.at("createdUser").as_bool());
  auto const again = installation.admin({"bootstrap", "--email", "grace@example.org", "--name", "Grace",
                                         "--organization", "fleet-one", "--project", "ship"});
  CHECK_FALSE(again.at("createdUser").as_bool());
  CHECK_FALSE(again.at("createdProject").as_bool());
  auto const link = text_of(again, "/link");
  CHECK(link.find("/app/link#svc_link_") != std::string::npos);
  auto const token = R"({"token":")" + link.substr(link.find('#') + 1) + R"("})";

  browser page(installation);
  auto const preview = page.post("/dashboard/v1/sign-in/link/preview", token);
  CHECK(preview.status == 200);
  CHECK(text_of(body_of(preview), "/name") == "Grace");
  CHECK(text_of(body_of(preview), "/kind") == "first");
  auto const signed_in = page.post("/dashboard/v1/sign-in/link", token);
  REQUIRE(signed_in.status == 200);
  CHECK(text_of(body_of(signed_in), "/user/email") == "grace@example.org");
  auto const field = signed_in.header("set-cookie").value_or("");
  CHECK(field.starts_with("__Host-svc_session=svc_session_"));
  for (char const* part : {"; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Max-Age=604800"})
    CHECK_MESSAGE(field.find(part) != std::string::npos, part);
  CHECK(signed_in.header("cache-control") == "no-store");

  auto const project = text_of(again, "/project");
  CHECK(code_of(page.get("/api/jobs")) == "project_required");
  page.open_project(project);
  auto const jobs = page.get("/api/jobs");
  CHECK(jobs.status == 200);
  CHECK(jobs.header("cache-control") == "no-store");
  CHECK(jobs.header("etag"));
  CHECK(jobs.header("ratelimit-policy").value_or("").starts_with("\"session\""));
  auto const same = page.call("GET", "/api/jobs", {}, {{"If-None-Match", *jobs.header("etag")}});
  CHECK(same.status == 304);
  CHECK(same.header("cache-control") == "no-store");

  // Another instance knows the session as well.
  page.move_to(1);
  auto const test = page.post("/api/tests", R"({"title":"t","type":"command","script":"true"})");
  REQUIRE(test.status == 201);
  auto const job = page.post("/api/jobs", R"({"name":"nightly","jobType":"command","tests":[{"id":")" +
                                              text_of(body_of(test), "/id") + R"("}]})");
  CAPTURE(job.body);
  REQUIRE(job.status == 201);
  auto const id = text_of(body_of(job), "/id");
  auto const run = page.post("/api/jobs/" + id + "/trigger", "{}");
  CAPTURE(run.body);
  REQUIRE(run.status == 202);
  CHECK(text_of(body_of(run), "/data/triggeredBy") == "Grace");
  auto const shown = page.get("/api/runs/" + text_of(body_of(run), "/data/runId"));
  CHECK(text_of(body_of(shown), "/trigger") == "manual");

  auto const audit = page.get("/api/audit?action=job.triggered");
  auto const account = page.get("/dashboard/v1/me");
  CHECK(account.status == 200);
  auto const session = text_of(body_of(account), "/session/id");
  CHECK(text_of(body_of(audit), "/data/0/actor/sessionId") == session);
  CHECK(text_of(body_of(account), "/organizations/0/slug") == "fleet-one");

  auto const secret = page.cookie(session_cookie_name);
  CHECK(page.post("/dashboard/v1/sign-out").status == 204);
  CHECK_FALSE(page.cookies().contains(session_cookie_name));
  for (std::size_t instance : {0U, 1U}) {
    page.move_to(instance);
    page.cookies()[session_cookie_name] = secret;
    auto const refused = page.get("/api/jobs");
    CHECK(refused.status == 401);
    CHECK(code_of(refused) == "session_ended");
    CHECK_FALSE(refused.header("set-cookie"));
  }
  // The link has been used.
  page.cookies().clear();
  CHECK(code_of(page.post("/dashboard/v1/sign-in/link", token)) == "link_over");
}

TEST_CASE("a cookie in doubt is refused without any store, and a bearer never falls back to it") {
  signed_in_member m;
  auto const secret = m.page.cookie(session_cookie_name);
  auto client = m.installation.client(0);
  auto const jar = std::string(session_cookie_name) + "=";
  auto const ask = [&](header_list headers, std::string const& target = "/api/jobs",
                       std::string const& method = "GET") {
    headers.emplace_back("Svc-Project", m.project);
    return client.http().request(method, target, headers);
  };
  std::pair<std::string, std::string> const own{"Sec-Fetch-Site", "same-origin"};
  CHECK(ask({own, {"Cookie", jar + secret}}).status == 200);
  CHECK(code_of(ask({own, {"Cookie", jar + secret + "; " + jar + secret}})) == "session_invalid");
  CHECK(code_of(ask({own, {"Cookie", jar + secret}, {"Cookie", jar + secret}})) == "session_invalid");
  CHECK(code_of(ask({own, {"Cookie", jar + secret + "x"}})) == "session_invalid");
  CHECK(code_of(ask({own, {"Cookie", jar + "svc_session_nonsense"}})) == "session_invalid");
  // The checksum is right, but nobody has such a session.
  auto const unknown = std::string(mint_token(token_kind::session).key.reveal());
  CHECK(code_of(ask({own, {"Cookie", jar + unknown}})) == "session_invalid");
  CHECK(code_of(ask({own})) == "token_required");
  CHECK(code_of(ask({own}, "/dashboard/v1/me")) == "session_required");
  CHECK(code_of(ask({own, {"Authorization", "Bearer " + secret}})) == "invalid_token");
  CHECK(code_of(ask({own, {"Authorization", "Bearer nonsense"}, {"Cookie", jar + secret}})) == "invalid_token");
  CHECK(code_of(ask({own, {"Authorization", "Bearer " + m.member.token}, {"Cookie", jar + secret}},
                    "/dashboard/v1/me")) == "wrong_token_kind");
  // `whoami` is for tokens only.
  CHECK(code_of(ask({own, {"Cookie", jar + secret}}, "/api/auth/whoami")) == "token_required");
}

TEST_CASE("the scope of a session: unknown, foreign and archived projects and projects without a role do not exist") {
  signed_in_member m;
  auto const other = m.installation.make_tenant();
  for (auto const& id : {project_id(m.installation, other), uuid::generate_v7().to_string()}) {
    m.page.open_project(id);
    auto const got = m.page.get("/api/jobs");
    CHECK(got.status == 404);
    CHECK(code_of(got) == "project_not_found");
  }
  m.page.open_project("no-uuid");
  CHECK(code_of(m.page.get("/api/jobs")) == "project_required");
  m.page.open_project(m.project);
  CHECK(m.page.get("/api/jobs").status == 200);
  CHECK(m.page.call("DELETE", "/api/jobs/" + uuid::generate_v7().to_string()).status == 403);
  // Two tabs show two projects.
  auto const& organization = m.owner.organization;
  m.installation.admin({"create-project", "--organization", organization, "--slug", "second", "--name", "Second"});
  m.installation.admin(
      {"add-member", "--project", organization + "/second", "--user", m.member.user, "--role", "project_viewer"});
  auto const second = m.installation.word(
      "SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id"
      " WHERE p.slug = 'second' AND o.slug = '" +
      organization + "'");
  m.page.open_project(second);
  CHECK(m.page.get("/api/jobs").status == 200);
  CHECK(code_of(m.page.post("/api/tags", R"({"name":"a"})")) == "permission_denied");
  m.page.open_project(m.project);
  CHECK(m.page.post("/api/tags", R"({"name":"a"})").status == 201);
}

TEST_CASE("each end of a session holds on every instance with its answer") {
  struct {
    char const* name;
    char const* code;
    void (*end)(signed_in_member&);
  } const cases[] = {
      {"sign-out", "session_ended",
       [](signed_in_member& m) {
         auto const kept = m.page.cookies();
         CHECK(m.page.post("/dashboard/v1/sign-out").status == 204);
         m.page.cookies() = kept;
       }},
      {"ban", "owner_disabled",
       [](signed_in_member& m) { m.installation.admin({"ban-user", "--user", m.member.user}); }},
      {"removed role", "project_not_found",
       [](signed_in_member& m) {
         m.installation.admin({"remove-member", "--project", m.owner.project, "--user", m.member.user});
       }},
      {"removed member", "project_not_found",
       [](signed_in_member& m) {
         m.installation.admin({"remove-member", "--organization", m.owner.organization, "--user", m.member.user});
       }},
      {"lesser role", "permission_denied",
       [](signed_in_member& m) {
         m.installation.admin(
             {"set-role", "--project", m.owner.project, "--user", m.member.user, "--role", "project_viewer"});
       }},
      {"archived project", "project_not_found",
       [](signed_in_member& m) { m.installation.admin({"archive-project", "--project", m.owner.project}); }},
      {"operator", "session_ended",
       [](signed_in_member& m) { m.installation.admin({"end-sessions", "--user", m.member.user}); }},
      {"reset", "session_ended",
       [](signed_in_member& m) {
         m.installation.admin({"create-sign-in-link", "--user", m.member.user, "--reset"});
       }},
  };
  int made = 0;
  for (auto const& c : cases) {
    CAPTURE(c.name);
    signed_in_member m;
    // Nobody of the project has a token, so only the session's user can be the reason why its epoch changes.
    m.installation.admin({"revoke-token", m.member.token_id});
    auto const write = [&] { return m.page.post("/api/tags", R"({"name":"t)" + std::to_string(++made) + R"("})"); };
    for (std::size_t instance : {0U, 1U}) {
      m.page.move_to(instance);
      auto const before = write();
      CAPTURE(before.body);
      CHECK(before.status == 201);
    }
    m.page.move_to(0);
    c.end(m);
    for (std::size_t instance : {1U, 0U}) {
      m.page.move_to(instance);
      CHECK(code_of(write()) == c.code);
    }
  }
}

TEST_CASE("an owner of the organization without a role in the project loses an archived project at once") {
  signed_in_member m("org_admin");
  m.installation.admin({"revoke-token", m.member.token_id});
  CHECK(m.page.post("/api/tags", R"({"name":"before"})").status == 201);
  m.installation.admin({"archive-project", "--project", m.owner.project});
  CHECK(code_of(m.page.post("/api/tags", R"({"name":"after"})")) == "project_not_found");
  m.installation.admin({"unarchive-project", "--project", m.owner.project});
  CHECK(m.page.post("/api/tags", R"({"name":"after"})").status == 201);
}

TEST_CASE("a sign-in creates a new session and ends the browser's previous one, also that of another user") {
  signed_in_member m;
  auto const first = m.page.cookies();
  m.page.sign_in(m.owner.user);
  CHECK(m.page.get("/api/jobs").status == 200);
  CHECK(m.page.cookies() != first);
  m.page.cookies() = first;
  m.page.move_to(1);
  CHECK(code_of(m.page.get("/api/jobs")) == "session_ended");
}

TEST_CASE("a user sees and ends the own sessions, and none of others") {
  signed_in_member m;
  browser other(m.installation, 1);
  other.sign_in(m.member.user);
  other.open_project(m.project);
  auto const list = body_of(m.page.get("/dashboard/v1/me/sessions"));
  REQUIRE(list.at("data").as_array().size() == 2);
  CHECK(text_of(list, "/data/0/method") == "link");
  CHECK_FALSE(list.at("data").at(0).at("current").as_bool());
  CHECK(list.at("data").at(1).at("current").as_bool());
  auto const newest = text_of(list, "/data/0/id"), own = text_of(list, "/data/1/id");

  signed_in_member stranger;
  CHECK(stranger.page.call("DELETE", "/dashboard/v1/me/sessions/" + newest).status == 404);
  CHECK(other.get("/api/jobs").status == 200);
  CHECK(m.page.call("DELETE", "/dashboard/v1/me/sessions/" + newest, {}, {{"If-Match", "\"7-x\""}}).status == 412);
  CHECK(m.page.call("DELETE", "/dashboard/v1/me/sessions/" + newest).status == 204);
  CHECK(code_of(other.get("/api/jobs")) == "session_ended");
  CHECK(m.page.call("DELETE", "/dashboard/v1/me/sessions/" + newest).status == 404);

  other.cookies().clear();
  other.sign_in(m.member.user);
  CHECK(m.page.call("DELETE", "/dashboard/v1/me/sessions").status == 204);
  CHECK(code_of(other.get("/api/jobs")) == "session_ended");
  CHECK(m.page.get("/api/jobs").status == 200);
  CHECK(m.page.call("DELETE", "/dashboard/v1/me/sessions/" + own).status == 204);
  CHECK(code_of(m.page.get("/api/jobs")) == "session_ended");
}

TEST_CASE("a sensitive change by a session needs a fresh sign-in, the same by a token does not") {
  signed_in_member m;
  m.installation.sql(
      "UPDATE sessions SET authenticated_at = authenticated_at - interval '16 minutes' WHERE user_id = '" +
      m.member.user_id + "'");
  // The epoch has not changed, so the sign-in may still be remembered as it was.
  m.installation.admin(
      {"set-role", "--project", m.owner.project, "--user", m.member.user, "--role", "project_admin"});
  auto const refused = m.page.post("/api/cli-tokens", R"({"name":"ci"})");
  CHECK(refused.status == 403);
  CHECK(code_of(refused) == "fresh_sign_in_required");
  CHECK(text_of(body_of(refused), "/details/0/message") == "link");
  CHECK(code_of(m.page.call("DELETE", "/dashboard/v1/me/sessions")) == "fresh_sign_in_required");
  CHECK(m.page.post("/api/tags", R"({"name":"usual"})").status == 201);
  auto by_token = m.installation.client(0, m.member.token);
  CHECK(by_token.post("/api/cli-tokens", R"({"name":"ci"})").status == 201);
  m.page.sign_in(m.member.user);
  CHECK(m.page.post("/api/cli-tokens", R"({"name":"by-session"})").status == 201);
}

TEST_CASE("a user changes the own name and preferences, by the version that the page has read") {
  signed_in_member m;
  auto const read = m.page.get("/dashboard/v1/me");
  auto const tag = *read.header("etag");
  auto const patch = R"({"name":" Nia ","preferences":{"theme":"dark","timeZone":"Europe/Zurich"}})";
  auto const done = m.page.call("PATCH", "/dashboard/v1/me", patch, {{"If-Match", tag}});
  CAPTURE(done.body);
  CHECK(done.status == 200);
  CHECK(text_of(body_of(done), "/user/name") == "Nia");
  CHECK(m.page.call("PATCH", "/dashboard/v1/me", patch, {{"If-Match", tag}}).status == 412);
  CHECK(m.page.call("PATCH", "/dashboard/v1/me", R"({"preferences":{"timeZone":"Mars/Base"}})").status == 400);
  CHECK(m.page.call("PATCH", "/dashboard/v1/me", R"({"preferences":{"theme":"light"}})").status == 200);
  auto const last = body_of(m.page.get("/dashboard/v1/me"));
  CHECK(text_of(last, "/user/preferences/theme") == "light");
  CHECK(text_of(last, "/user/preferences/timeZone") == "Europe/Zurich");
  auto const run = m.page.post("/api/tags", R"({"name":"by-nia"})");
  CHECK(run.status == 201);
}

TEST_CASE("a page may write from the origin of public_url, or without it from https and the name in the browser") {
  auto& installation = session_fleet();
  auto const named = installation.beside({"SVC_PUBLIC_URL=https://svc.example.org"});
  auto const code = [&](std::string const& url, std::string const& host, std::string const& origin) {
    api_client client(url, installation.text("caFile"), {});
    return code_of(client.http().raw("POST /dashboard/v1/sign-in/link/preview HTTP/1.1\r\nHost: " + host +
                                     "\r\nOrigin: " + origin +
                                     "\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n"
                                     "Content-Length: 13\r\n\r\n" +
                                     R"({"token":"x"})"));
  };
  auto const unnamed = installation.url(0);
  CHECK(code(unnamed, "app.example.net:8443", "https://app.example.net:8443") == "link_over");
  CHECK(code(unnamed, unnamed.substr(8), unnamed) == "link_over");
  CHECK(code(unnamed, "app.example.net", unnamed) == "cross_site_request");
  CHECK(code(unnamed, "app.example.net", "https://shop.example.net") == "cross_site_request");
  CHECK(code(named->url(), "inner:8443", "https://svc.example.org") == "link_over");
  CHECK(code(named->url(), "app.example.net", "https://app.example.net") == "cross_site_request");
}

TEST_CASE("a link signs in once, however many send it at once") {
  auto& installation = session_fleet();
  auto const subject = installation.make_tenant();
  auto const link = text_of(installation.admin({"create-sign-in-link", "--user", subject.user}), "/link");
  auto const body = R"({"token":")" + link.substr(link.find('#') + 1) + R"("})";
  std::atomic<int> succeeded{0}, over{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 64; ++i)
    threads.emplace_back([&, i] {
      browser page(installation, i % 2);
      auto const got = page.post("/dashboard/v1/sign-in/link", body);
      if (got.status == 200) ++succeeded;
      if (code_of(got) == "link_over") ++over;
    });
  for (auto& thread : threads) thread.join();
  CHECK(succeeded == 1);
  CHECK(over == 63);
}

}  // namespace
}  // namespace svc::test
