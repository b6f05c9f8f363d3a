// Sessions that end while a change is under way, and while a store is away.
#include "browser.hpp"
#include "integration/system/faults/faults.hpp"
#include "support/comes_true.hpp"

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
  REQUIRE(installation.pages(0).post("/debug/failpoints", "pipeline.before_handler=delay:1500*5").status == 200);
  {
    std::vector<std::jthread> all;
    for (auto& each : changes)
      all.emplace_back([&] {
        each.got = installation.client(0).call(
            each.verb, each.path, each.body,
            {{"Cookie", jar}, {"Sec-Fetch-Site", "same-origin"}, {"Svc-Project", m.project}});
      });
    REQUIRE(comes_true([&] { return admitted() == first + 5; }, std::chrono::milliseconds(1300)));
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

}  // namespace
}  // namespace svc::test
