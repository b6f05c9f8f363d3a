// Sessions that end while a change is under way, and while a store is unreachable.
#include "browser.hpp"
#include "integration/system/faults/faults.hpp"
#include "support/comes_true.hpp"
#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

#include <thread>

namespace svc::test {
namespace {

TEST_CASE("changes and triggers by a session that ends between their admission and their commit write nothing") {
  signed_in_member m;
  auto& installation = m.installation;
  auto const test =
      text_of(body_of(m.page.post("/api/tests", R"({"title":"t","type":"command","script":"true"})")), "/id");
  auto const job = text_of(
      body_of(m.page.post("/api/jobs", R"({"name":"late","jobType":"command","tests":[{"id":")" + test + R"("}]})")),
      "/id");
  struct {
    std::string verb, path, body;
    answer got{};
  } changes[] = {
      {"POST", "/api/tags", R"({"name":"late"})"},         {"PATCH", "/api/tests/" + test, R"({"title":"late"})"},
      {"POST", "/api/jobs/" + job + "/trigger", "{}"},     {"POST", "/api/tests/" + test + "/execute", ""},
      {"PATCH", "/dashboard/v1/me", R"({"name":"late"})"},
  };
  auto const admitted = [&] {
    return std::stoi(installation.redis({"LLEN", "svc:{" + m.member.user_id + "}:w:session:60"}));
  };
  // Each request has its own connection, with the cookie of the page.
  auto const jar = std::string(session_cookie_name) + "=" + m.page.cookie(session_cookie_name);
  auto const first = admitted();
  REQUIRE(installation.pages(0).post("/debug/failpoints", "pipeline.before_handler=delay:4000*5").status == 200);
  {
    std::vector<std::jthread> all;
    for (auto& each : changes)
      all.emplace_back([&] {
        each.got = installation.client(0).call(
            each.verb, each.path, each.body,
            {{"Cookie", jar}, {"Sec-Fetch-Site", "same-origin"}, {"Svc-Project", m.project}});
      });
    REQUIRE(comes_true([&] { return admitted() == first + 5; }, std::chrono::milliseconds(3700)));
    // Like a sign-out whose instance died after its COMMIT: no epoch reaches Redis before the relay's next pass.
    installation.sql("UPDATE sessions SET ended_at = clock_timestamp(), ended_reason = 'sign_out' WHERE user_id = '" +
                     m.member.user_id + "'");
    installation.sql("SELECT bump_subjects(ARRAY['" + m.member.user_id + "'::uuid])");
  }
  for (auto const& each : changes) {
    CAPTURE(each.path);
    CAPTURE(each.got.body);
    CHECK(each.got.status == 401);
    CHECK(code_of(each.got) == "session_ended");
  }
  CHECK(installation.word("SELECT count(*) FROM run_history WHERE project_id = '" + m.project + "'") == "0");
  CHECK(installation.word("SELECT count(*) FROM tags WHERE project_id = '" + m.project + "'") == "0");
  CHECK(installation.word("SELECT count(*) FROM tests WHERE title = 'late'") == "0");
  CHECK(installation.word("SELECT count(*) FROM users WHERE name = 'late'") == "0");
}

TEST_CASE(
    "with Redis stopped sessions work from PostgreSQL, and their ends hold on every instance, also afterwards") {
  fleet installation(2);
  auto const owner = installation.make_tenant();
  auto const project = project_id(installation, owner);
  browser page(installation), kept(installation, 1);
  for (auto* each : {&page, &kept}) {
    each->sign_in(owner.user);
    each->open_project(project);
    CHECK(each->get("/api/jobs").status == 200);
  }
  auto const secret = page.cookie(session_cookie_name);
  auto const refused_everywhere = [&] {
    for (std::size_t instance : {0U, 1U}) {
      page.move_to(instance);
      page.cookies()[session_cookie_name] = secret;
      CHECK(code_of(page.get("/api/jobs")) == "session_ended");
    }
  };
  {
    stopped_process const redis(installation.dev().pid_of("redis"));
    CHECK(page.get("/api/jobs").status == 200);
    CHECK(page.post("/api/tags", R"({"name":"without-redis"})").status == 201);
    CHECK(page.post("/dashboard/v1/sign-out").status == 204);
    refused_everywhere();
    CHECK(kept.get("/api/jobs").status == 200);
  }
  refused_everywhere();
  CHECK(kept.get("/api/jobs").status == 200);
}

/// Expects a 503 that takes no cookie away.
void check_keeps_cookie(answer const& got) {
  CHECK_MESSAGE(got.status == 503, got.body);
  CHECK(code_of(got) == "unavailable");
  CHECK_FALSE(got.header("set-cookie"));
}

TEST_CASE("without PostgreSQL known sessions are recognised, sign-ins, sign-outs and writes get 503, cookies stay") {
  fleet installation(2, {"SVC_HTTP_DEADLINE=2s", "SVC_REDIS_DEADLINE=1s", "SVC_INSTANCES=2", "SVC_WORKERS=1"});
  auto const owner = installation.make_tenant();
  auto const viewer = installation.make_member(owner, "project_viewer");
  auto const link = new_link_secret(installation, viewer.user);
  browser page(installation);
  page.sign_in(viewer.user);
  page.open_project(project_id(installation, owner));
  auto const changes_nothing = [&] { return code_of(page.post("/api/tags", R"({"name":"by-viewer"})")); };
  // Each instance remembers the session; the refusal shows whose role it has, and needs nothing else.
  for (std::size_t instance : {0U, 1U}) {
    page.move_to(instance);
    CHECK(changes_nothing() == "permission_denied");
  }
  auto const secret = page.cookie(session_cookie_name);
  {
    stopped_postgres const during(installation);
    for (std::size_t instance : {0U, 1U}) {
      page.move_to(instance);
      CHECK(changes_nothing() == "permission_denied");
      check_keeps_cookie(page.get("/api/jobs"));
      check_keeps_cookie(page.call("PATCH", "/dashboard/v1/me", R"({"name":"Nia"})"));
      check_keeps_cookie(page.post("/dashboard/v1/sign-out"));
      browser stranger(installation, instance);
      check_keeps_cookie(stranger.post("/dashboard/v1/sign-in/link", one_member("token", link)));
      check_keeps_cookie(stranger.post("/dashboard/v1/sign-in/password",
                                       R"({"email":")" + viewer.user + R"(","password":"seven unrelated words"})"));
      stranger.cookies()[session_cookie_name] = std::string(mint_token(token_kind::session).key.reveal());
      // Whether an unknown session exists, nobody can say now.
      check_keeps_cookie(stranger.get("/dashboard/v1/me"));
    }
  }
  CHECK(page.cookie(session_cookie_name) == secret);
  // Each instance finds PostgreSQL again at its own time.
  for (std::size_t instance : {1U, 0U}) {
    page.move_to(instance);
    CHECK(comes_true([&] { return page.get("/api/jobs").status == 200; }, patience));
  }
  CHECK(page.post("/dashboard/v1/sign-out").status == 204);
  page.cookies()[session_cookie_name] = secret;
  for (std::size_t instance : {0U, 1U}) {
    page.move_to(instance);
    CHECK(code_of(page.get("/api/jobs")) == "session_ended");
  }
  browser other(installation);
  CHECK(other.post("/dashboard/v1/sign-in/link", one_member("token", link)).status == 200);
}

}  // namespace
}  // namespace svc::test
