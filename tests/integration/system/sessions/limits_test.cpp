// The use of rate limits, as members read it with browsers.
#include "integration/system/extra_instance.hpp"
#include "integration/system/faults/faults.hpp"
#include "integration/system/jobs.hpp"
#include "svc/core/time.hpp"
#include "views.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace svc::test {
namespace {

/// Between two questions, because a user has 1 000 requests of browsers in a minute.
constexpr std::chrono::milliseconds between_reads{100};

/// Windows last so long that none ends while a slow machine runs the test.
struct limits_fixture {
  extra_instance instance{{"SVC_LIMITS_CLI_WINDOW=3600", "SVC_LIMITS_PROBE_WINDOW=3600", "SVC_LIMITS_PROBE_LIMIT=100",
                           "SVC_LIMITS_PROJECT_WINDOW=3600", "SVC_LIMITS_TRIGGER_DEFAULT_WINDOW=3600"}};
  fleet& installation = shared_fleet();
  tenant owner = installation.make_tenant();
  std::string project = project_id(installation, owner);
  api_client user = instance.client(owner.token);
  browser page{installation, instance.client()};

  limits_fixture() {
    page.sign_in(installation.make_member(owner, "project_editor").user);
    page.open_project(project);
  }
  boost::json::array read() {
    auto const got = page.get("/dashboard/v1/limits");
    CAPTURE(got.body);
    REQUIRE(got.status == 200);
    return body_of(got).at("credentials").as_array();
  }
  /// The window of that credential and class; null if there is none.
  boost::json::value find(std::string const& id, std::string const& which) {
    for (auto const& each : read())
      if (text_of(each, "/id") == id && text_of(each, "/class") == which) return each;
    return nullptr;
  }
  /// The window once it has counted so many requests: a worker keeps its answer for a second.
  boost::json::object window(std::string const& id, std::string const& which, std::int64_t used) {
    boost::json::value found;
    auto const counts = [&] {
      found = find(id, which);
      return found.is_object() && found.at("used").as_int64() == used;
    };
    CAPTURE(which);
    REQUIRE(comes_true(counts, patience, between_reads));
    return found.as_object();
  }
  /// Compares the window with the headers of the last answer, whose class its policy names.
  void check(std::string const& id, answer const& last) {
    auto const policy = last.header("ratelimit-policy").value();
    auto const which = policy.substr(1, policy.find('"', 1) - 1);
    CAPTURE(policy);
    auto const limit = last.number("x-ratelimit-limit");
    auto const found = window(id, which, limit - last.number("x-ratelimit-remaining"));
    CHECK(found.at("limit").as_int64() == limit);
    CHECK(found.at("windowSeconds").as_int64() == std::stoll(policy.substr(policy.find("w=") + 2)));
    auto const reset = parse_rfc3339(text_of(found, "/resetAt"));
    REQUIRE(reset);
    CHECK((reset->micros + 999'999) / 1'000'000 == last.number("x-ratelimit-reset"));
  }
};

}  // namespace

TEST_CASE("what windows have counted equals what the headers of the last answers said, for each class") {
  limits_fixture m;
  answer last;
  for (int i = 0; i < 5; ++i) last = m.user.get("/api/tags");
  CHECK(m.find(m.owner.token_id, "probe").is_null());
  m.check(m.owner.token_id, last);
  // All tokens of a user share the window.
  auto const second = text_of(body_of(m.user.post("/api/cli-tokens", R"({"name":"second"})")), "/token/id");
  last = m.user.get("/api/tags");
  m.check(m.owner.token_id, last);
  m.check(second, last);
  m.window(second, "cli", 7);

  auto const probed = m.user.post(
      "/api/monitors/test",
      R"({"name":"one","type":"port_check","target":"127.0.0.1","config":{"port":1,"retryStrategy":{"maxRetries":0}}})");
  CAPTURE(probed.body);
  CHECK(probed.header("ratelimit-policy").value().starts_with("\"probe\""));
  m.check(m.owner.token_id, probed);

  auto const job = make_job(m.user);
  auto const own = make_key(m.user, job, "own", R"("rateLimit":{"limit":20,"windowSeconds":3600})");
  auto const usual = make_key(m.user, job, "usual");
  auto const unused = m.window(own.id, "trigger", 0);
  CHECK_FALSE(unused.contains("resetAt"));
  CHECK(unused.at("limit").as_int64() == 20);
  CHECK(text_of(unused, "/jobId") == job);
  CHECK(text_of(unused, "/jobName") == "j");
  for (int i = 0; i < 3; ++i) {
    last = m.instance.client(own.key).post(trigger_path(job));
    REQUIRE(last.status == 202);
    m.check(own.id, last);
  }
  for (int i = 0; i < 17; ++i) CHECK(m.instance.client(own.key).post(trigger_path(job)).status == 202);
  last = m.instance.client(own.key).post(trigger_path(job));
  CHECK(last.status == 429);
  m.check(own.id, last);
  m.window(own.id, "trigger", 20);
  REQUIRE(m.instance.client(usual.key).post(trigger_path(job)).status == 202);
  m.window(usual.id, "trigger", 1);
  // Refused requests count nowhere, so the project has 20 and one.
  CHECK(text_of(m.window(m.project, "project", 21), "/kind") == "project");
}

TEST_CASE("a worker reads the windows of a project once in a second, however many requests want them") {
  limits_fixture m;
  auto const reads = [&] {
    return std::stoll(
        m.installation.word("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
                            " WHERE query LIKE '%jobs j CROSS JOIN LATERAL%token_last_use%'"));
  };
  m.read();
  auto const before = reads();
  CHECK(before > 0);
  auto const start = std::chrono::steady_clock::now();
  constexpr int requests = 60;
  for (int i = 0; i < requests; ++i) m.read();
  auto const seconds = std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
  CHECK(reads() - before <= seconds + 1);

  // Another project has windows of its own.
  browser other(m.installation, m.instance.client());
  auto const stranger = m.installation.make_tenant();
  other.sign_in(stranger.user);
  other.open_project(project_id(m.installation, stranger));
  auto const foreign = other.get("/dashboard/v1/limits");
  CHECK(foreign.status == 200);
  CHECK(foreign.body.find(m.owner.token_id) == std::string::npos);
  CHECK(foreign.body.find(stranger.token_id) != std::string::npos);
}

TEST_CASE("limits are for those who may see tokens, of their project only, and at most a hundred") {
  limits_fixture m;
  browser viewer(m.installation, m.instance.client()), foreign(m.installation, m.instance.client());
  viewer.sign_in(m.installation.make_member(m.owner, "project_viewer").user);
  viewer.open_project(m.project);
  CHECK(code_of(viewer.get("/dashboard/v1/limits")) == "permission_denied");
  foreign.sign_in(m.installation.make_tenant().user);
  foreign.open_project(m.project);
  CHECK(code_of(foreign.get("/dashboard/v1/limits")) == "project_not_found");
  // The tokens of the owner and of two members, and the project.
  CHECK(m.read().size() == 4);
  // 30 jobs with ten keys each; the key that was used last is the first one of them.
  auto const job = make_job(m.user);
  auto const used = make_key(m.user, job, "used");
  m.installation.sql(
      "INSERT INTO jobs (id, project_id, name, job_type, created_by) SELECT gen_random_uuid(), '" + m.project +
      "', 'many ' || i, 'command', '" + m.owner.user_id +
      "' FROM generate_series(1, 30) i; WITH made AS (INSERT INTO subjects (id) SELECT gen_random_uuid() FROM "
      "generate_series(1, 300) RETURNING id), keys AS (SELECT id, row_number() OVER () AS n FROM made), places AS ("
      "SELECT id, row_number() OVER () AS n FROM jobs WHERE project_id = '" +
      m.project +
      "' AND name LIKE 'many%') INSERT INTO tokens (id, kind, project_id, job_id, owner_id, created_by, "
      "name, start, slot) SELECT k.id, 'trigger', '" +
      m.project + "', p.id, '" + m.owner.user_id + "', '" + m.owner.user_id +
      "', 'key ' || k.n, 'svc_trigger_', 1 + k.n % 10 FROM keys k JOIN places p ON p.n = 1 + (k.n - 1) / 10");
  m.installation.sql("INSERT INTO token_last_use (token_id, used_at) VALUES ('" + used.id + "', now())");
  boost::json::array all;
  CHECK(comes_true([&] { return (all = m.read()).size() >= 95; }, patience, between_reads));
  CHECK(all.size() <= 100);
  std::size_t keys = 0;
  for (auto const& each : all)
    if (text_of(each, "/class") == "trigger" && keys++ == 0) CHECK(text_of(each, "/id") == used.id);
}

TEST_CASE("without Redis limits are unavailable, and again there once it is back") {
  fleet installation(1);
  auto const owner = installation.make_tenant();
  browser page(installation);
  page.sign_in(owner.user);
  page.open_project(project_id(installation, owner));
  CHECK(page.get("/dashboard/v1/limits").status == 200);
  {
    stopped_process const redis(installation.dev().pid_of("redis"));
    // The last answer is kept for a second.
    answer got;
    CHECK(
        comes_true([&] { return (got = page.get("/dashboard/v1/limits")).status != 200; }, patience, between_reads));
    CAPTURE(got.body);
    CHECK(got.status == 503);
    CHECK(code_of(got) == "unavailable");
    CHECK(got.header("retry-after").has_value());
    CHECK(page.get("/api/jobs").status == 200);
  }
  CHECK(comes_true([&] { return page.get("/dashboard/v1/limits").status == 200; }, patience));
}

}  // namespace svc::test
