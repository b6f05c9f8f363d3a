// Previews of schedules, and why runs wait, as viewers read both with browsers.
#include "integration/system/jobs.hpp"
#include "svc/core/time.hpp"
#include "views.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace svc::test {
namespace {

/// A viewer with a job, whose owner triggers it.
struct viewer_of_runs : signed_in_member {
  api_client user = installation.client(0, owner.token);
  std::string job = make_job(user);

  viewer_of_runs() : signed_in_member("project_viewer") {}

  std::string trigger(std::string const& which) {
    auto const got = user.post(trigger_path(which));
    REQUIRE(got.status == 202);
    return text_of(body_of(got), "/data/runId");
  }
  boost::json::object waiting(std::string const& run) {
    auto const got = page.get("/dashboard/v1/runs/" + run + "/waiting");
    CAPTURE(got.body);
    REQUIRE(got.status == 200);
    return body_of(got);
  }
  std::vector<std::string> reasons(std::string const& run) { return texts_of(waiting(run).at("reasons")); }
  /// Makes a runner that has just asked for work. `place`: of the project, or of the whole organisation.
  std::string make_runner(tenant const& place, std::string const& name, std::string const& labels, bool of_project) {
    auto const token = some_id(), runner = some_id();
    installation.sql(
        "INSERT INTO runner_tokens (id, organization_id, project_id, name, start, digest) SELECT '" + token +
        "', o.id, " + (of_project ? "p.id" : "NULL") + ", '" + token + "', 'svc_runner_', sha256('" + token +
        "') FROM organizations o JOIN projects p ON p.organization_id = o.id WHERE o.slug || '/' || p.slug = '" +
        place.project + "'; INSERT INTO runners (id, token_id, name, version, labels, slots) VALUES ('" + runner +
        "', '" + token + "', '" + name + "', '1', '" + labels + "', 1)");
    return runner;
  }
  /// Lets a runner hold a run, as its claim does.
  void hold(std::string const& runner, std::string const& run) {
    installation.sql(
        "UPDATE run_queue SET status = 'running', claim_id = gen_random_uuid(), runner_id = '" + runner +
        "', lease_until = clock_timestamp() + interval '1 hour', started_at = clock_timestamp(), attempt = 1"
        " WHERE run_id = '" +
        run + "'");
  }
};

}  // namespace

TEST_CASE("a viewer previews a schedule in its zone, and mistakes are named") {
  signed_in_member m("project_viewer");
  auto const preview = [&](std::string const& query) {
    return m.page.get("/dashboard/v1/schedule-preview?" + query);
  };
  auto const got = preview("cron=30%209%20*%20*%20*&timeZone=Asia/Kolkata");
  CAPTURE(got.body);
  REQUIRE(got.status == 200);
  auto const times = body_of(got).at("times").as_array();
  REQUIRE(times.size() == 10);
  timestamp last = system_now() + std::chrono::hours(-1);
  for (auto const& time : times) {
    CHECK(text_of(time, "/offset") == "+05:30");
    CHECK(text_of(time, "/local").substr(10) == "T09:30:00");
    CHECK(text_of(time, "/at").substr(10) == "T04:00:00.000Z");
    CHECK_FALSE(time.as_object().contains("note"));
    auto const moment = parse_rfc3339(text_of(time, "/at"));
    REQUIRE(moment);
    CHECK(*moment > last);
    last = *moment;
  }
  // A year has both changes of the clocks.
  auto const nightly = body_of(preview("cron=30%202%20*%203%20sun&timeZone=America/New_York")).at("times").as_array();
  std::size_t skipped = 0;
  for (auto const& time : nightly)
    if (time.as_object().contains("note")) {
      ++skipped;
      CHECK(text_of(time, "/note") == "skipped");
      CHECK(text_of(time, "/local").substr(10) == "T03:00:00");
      CHECK(text_of(time, "/offset") == "-04:00");
    }
  CHECK(skipped >= 2);
  CHECK(text_of(body_of(preview("cron=0%200%20*%20*%20*")), "/times/0/offset") == "+00:00");
  CHECK(body_of(preview("cron=0%200%2030%202%20*")).at("times").as_array().empty());
  for (auto const* const wrong :
       {"cron=nonsense", "cron=60%20*%20*%20*%20*", "cron=", "timeZone=UTC",
        "cron=*%20*%20*%20*%20*&timeZone=Mars/One", "cron=*%20*%20*%20*%20*&timeZone=../../etc/passwd",
        "cron=*%20*%20*%20*%20*&timeZone="}) {
    CAPTURE(wrong);
    CHECK(code_of(preview(wrong)) == "validation_failed");
  }
  auto const zone = preview("cron=*%20*%20*%20*%20*&timeZone=Mars/One");
  CHECK(text_of(body_of(zone), "/details/0/field") == "timeZone");
  m.page.open_project(project_id(m.installation, m.installation.make_tenant()));
  CHECK(code_of(preview("cron=*%20*%20*%20*%20*")) == "project_not_found");
}

TEST_CASE("a waiting run says whether a runner, a slot or the job's limit is missing") {
  viewer_of_runs m;
  auto const run = m.trigger(m.job);
  using list = std::vector<std::string>;
  CHECK(m.reasons(run) == list{"no_runner_for_type"});
  // Runners of other organisations, other projects and other types do not count.
  auto const other = m.installation.make_tenant();
  m.make_runner(other, "foreign", "{command}", false);
  m.make_runner(m.owner, "browsers", "{playwright}", false);
  m.installation.admin({"create-project", "--organization", m.owner.organization, "--slug", "second", "--name", "S"});
  auto neighbour = m.owner;
  neighbour.project = m.owner.organization + "/second";
  m.make_runner(neighbour, "neighbour", "{command}", true);
  CHECK(m.reasons(run) == list{"no_runner_for_type"});
  CHECK(m.waiting(run).at("runners").as_array().empty());

  auto const runner = m.make_runner(m.owner, "box", "{command,playwright}", true);
  auto const idle = m.waiting(run);
  CHECK(idle.at("reasons").as_array().empty());
  CHECK_FALSE(idle.contains("running"));
  CHECK_FALSE(idle.contains("limit"));
  REQUIRE(idle.at("runners").as_array().size() == 1);
  CHECK(text_of(idle, "/runners/0/name") == "box");
  CHECK(boost::json::value(idle).at_pointer("/runners/0/busy") == 0);

  auto const held = m.trigger(m.job);
  m.hold(runner, held);
  CHECK(m.reasons(run) == list{"runners_busy"});
  CHECK(boost::json::value(m.waiting(run)).at_pointer("/runners/0/busy") == 1);
  CHECK(m.reasons(held).empty());
  auto const seen = parse_rfc3339(text_of(m.waiting(run), "/runners/0/lastSeenAt"));
  REQUIRE(seen);
  CHECK(*seen > system_now() + std::chrono::minutes(-30));
  m.installation.sql("UPDATE runners SET last_seen_at = now() - interval '1 hour' WHERE id = '" + runner + "'");
  CHECK(m.reasons(run) == list{"no_runner_for_type"});
}

TEST_CASE("a run of a limited job shows the limit, and an ended one that it is over") {
  viewer_of_runs m;
  auto const job = make_job(m.user, R"("maxConcurrentRuns":1)");
  auto const runner = m.make_runner(m.owner, "box", "{command}", true);
  m.make_runner(m.owner, "free", "{command}", false);
  auto const held = m.trigger(job), run = m.trigger(job);
  m.hold(runner, held);
  auto const got = m.waiting(run);
  CHECK(texts_of(got.at("reasons")) == std::vector<std::string>{"max_concurrent_runs"});
  CHECK(got.at("running") == 1);
  CHECK(got.at("limit") == 1);
  CHECK(got.at("runners").as_array().size() == 2);
  REQUIRE(m.user.post("/api/runs/" + run + "/cancel").status == 202);
  auto const over = m.page.get("/dashboard/v1/runs/" + run + "/waiting");
  CHECK(over.status == 409);
  CHECK(code_of(over) == "run_already_over");
  // Foreign ids look like unknown ones, of queued and of ended runs.
  auto const other = m.installation.make_tenant();
  auto foreign = m.installation.client(0, other.token);
  auto const foreign_run = text_of(body_of(foreign.post(trigger_path(make_job(foreign)))), "/data/runId");
  auto const unknown = unknown_answer(m.page, "/dashboard/v1/runs/", "/waiting");
  CHECK(unknown.starts_with("404"));
  CHECK(shown(m.page.get("/dashboard/v1/runs/" + foreign_run + "/waiting")) == unknown);
  REQUIRE(foreign.post("/api/runs/" + foreign_run + "/cancel").status == 202);
  CHECK(shown(m.page.get("/dashboard/v1/runs/" + foreign_run + "/waiting")) == unknown);
  CHECK(m.page.get("/dashboard/v1/runs/nonsense/waiting").status == 400);
}

}  // namespace svc::test
