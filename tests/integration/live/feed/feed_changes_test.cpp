// A change on one instance, of each kind, as viewers at the other one see it.
#include "feed_fixture.hpp"
#include "integration/system/monitoring/heartbeats.hpp"
#include "integration/system/runner.hpp"
#include "support/free_port.hpp"

namespace svc::test {
namespace {

fleet& house() {
  static fleet shared(2);
  return shared;
}

/// A viewer at the second instance, who has heard that changes arrive.
struct watched_project : feed_project {
  watched_project() : feed_project(house()), page(open(owner, 1)), all(house().text("caFile")) {
    all.ask(house().url(1), feed_request(page, project));
    REQUIRE(all.read_until(has_ready()));
  }
  bool sees(seen const& wanted) { return all.read_until(wanted); }

  browser page;
  audience all;
};

std::string id_of(answer const& got, std::string const& where = "/id") {
  CAPTURE(got.body);
  REQUIRE(got.status / 100 == 2);
  return text_of(body_of(got), where);
}

TEST_CASE("a viewer sees each kind of thing that another instance creates, changes or deletes") {
  watched_project p;
  auto client = p.client(0);
  struct {
    char const *resource, *path, *body, *patch;
  } const cases[] = {
      {"test", "/api/tests", R"({"title":"t","type":"command","script":"true"})", R"({"title":"u"})"},
      {"tag", "/api/tags", R"({"name":"smoke"})", R"({"name":"fumes"})"},
      {"variable", "/api/variables", R"({"key":"HOST","value":"a"})", R"({"value":"b"})"},
      {"notification_provider", "/api/notification-providers",
       R"({"name":"hook","type":"webhook","config":{"url":"https://example.com/hook"}})", R"({"name":"other"})"},
      {"monitor", "/api/monitors",
       R"({"name":"backup","type":"heartbeat","config":{"schedule":{"everySeconds":3600}}})", R"({"name":"other"})"},
      {"maintenance_window", "/api/maintenance-windows",
       R"({"name":"weekly","all":true,"cron":"0 3 * * sun","durationMinutes":60})", R"({"name":"other"})"},
      {"status_page", "/api/status-pages", R"({"name":"n","slug":"watched-page"})", R"({"name":"other"})"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.resource);
    auto const id = id_of(client.post(c.path, c.body));
    CHECK(p.sees(names(c.resource, id)));
    auto const path = std::string(c.path) + "/" + id;
    auto& viewer = *p.all.all().front();
    viewer.others.clear(), viewer.data.clear();
    CHECK(client.patch(path, c.patch).status == 200);
    CHECK(p.sees(names(c.resource, id)));
    viewer.others.clear(), viewer.data.clear();
    CHECK(client.del(path).status == 204);
    CHECK(p.sees(names(c.resource, id)));
  }
}

TEST_CASE("a viewer sees changes of components, incidents and posts") {
  watched_project p;
  auto client = p.client(0);
  auto const page =
      "/api/status-pages/" + id_of(client.post("/api/status-pages", R"({"name":"n","slug":"seen-page"})"));
  CHECK(p.sees(names("component", id_of(client.post(page + "/components", R"({"name":"c"})")))));
  auto const incident =
      id_of(client.post(page + "/incidents", R"({"name":"n","status":"investigating","body":"b"})"));
  CHECK(p.sees(names("incident", incident)));
  auto const path = page + "/incidents/" + incident + "/updates";
  CHECK(p.sees(names("post", id_of(client.post(path, R"({"status":"resolved","body":"b"})")))));
}

TEST_CASE("a viewer sees changes of jobs, keys, tokens, runners' tokens, members and the project") {
  watched_project p;
  auto client = p.client(0);
  auto page = p.open(p.owner, 0);
  auto const job = make_job(client);
  CHECK(p.sees(names("job", job)));
  auto const key = make_key(client, job, "ci");
  CHECK(p.sees(names("trigger_key", key.id)));
  auto const token = id_of(client.post("/api/cli-tokens", R"({"name":"laptop"})"), "/token/id");
  CHECK(p.sees(names("cli_token", token)));
  // The first use of a new secret ends the former one, also by a request that only reads.
  auto const rotated = client.post("/api/cli-tokens/" + token + "/rotate", R"({"endPrevious":"first_use"})");
  CAPTURE(rotated.body);
  REQUIRE(rotated.status == 201);
  CHECK(p.sees(names_again("cli_token", token, 2)));
  CHECK(house().client(0, text_of(body_of(rotated), "/token/key")).get("/api/jobs").status == 200);
  CHECK(p.sees(names_again("cli_token", token, 3)));
  auto const member = house().make_member(p.owner, "project_viewer");
  CHECK(page.call("PUT", "/dashboard/v1/project/members/" + member.user_id, R"({"role":"project_editor"})").status ==
        200);
  CHECK(p.sees(names("member", member.user_id)));
  CHECK(page.call("PATCH", "/dashboard/v1/project", R"({"name":"Renamed"})").status == 200);
  CHECK(p.sees(names("project", p.project)));
  auto const runner = page.post("/dashboard/v1/project/runner-tokens", R"({"name":"r1"})");
  CAPTURE(runner.body);
  REQUIRE(runner.status == 201);
  CHECK(p.sees([](viewer const& viewer) {
    return has_event(viewer, "changed",
                     [](std::string const& data) { return data.find("\"resource\":\"runner\"") != data.npos; });
  }));
}

TEST_CASE("a viewer sees a run from its trigger to its end, its return to the queue and its cancellation") {
  watched_project p;
  configured_service runners(house().dev(), both_kinds);
  auto client = p.client(0);
  auto const job = make_job(client);
  auto const secret = text_of(house().admin({"create-runner", "--project", p.owner.project, "--name", "r"}), "/key");
  runner_client runner("https://" + runners.address(1), house().text("caFile"), secret);
  REQUIRE(runner.enroll().status == 200);
  auto const trigger = [&] { return text_of(body_of(client.post(trigger_path(job))), "/data/runId"); };
  auto const claim = [&](std::string const& run) {
    auto const got = claims_of(runner.claim(20));
    REQUIRE(got.size() == 1);
    REQUIRE(text_of(got[0], "/runId") == run);
    return got[0];
  };
  auto const run = trigger();
  CHECK(p.sees(shows_run(run, "queued")));
  auto held = claim(run);
  CHECK(p.sees(shows_run(run, "running")));
  CHECK(runner.release(held).status == 204);
  CHECK(p.sees(shows_run(run, "queued")));
  held = claim(run);
  CHECK(p.sees(shows_run(run, "running")));
  CHECK(runner.complete(held, "failed").status == 204);
  CHECK(p.sees(shows_run(run, "failed")));

  auto const whole = trigger();
  CHECK(runner.complete_with(claim(whole), "line").status == 204);
  CHECK(p.sees(shows_run(whole, "passed")));
  auto const rerun = id_of(client.post("/api/runs/" + whole + "/rerun"));
  CHECK(p.sees(shows_run(rerun, "queued")));
  CHECK(client.post("/api/runs/" + rerun + "/cancel").status == 202);
  CHECK(p.sees(shows_run(rerun, "cancelled")));
  CHECK(client.del("/api/runs/" + rerun).status == 204);
  CHECK(p.sees(names("run", rerun)));

  // A run whose runner is lost.
  auto const lost = trigger();
  claim(lost);
  house().sql("UPDATE run_queue SET lost_claims = 100, lease_until = now() - interval '1 s' WHERE run_id = '" + lost +
              "'");
  CHECK(p.sees(shows_run(lost, "error")));
  // A schedule.
  house().sql("UPDATE jobs SET cron_schedule = '0 0 1 1 *', time_zone = 'UTC', next_run_at = now() WHERE id = '" +
              job + "'");
  CHECK(p.sees([&](viewer const& viewer) {
    auto const fired =
        house().word("SELECT id FROM run_history WHERE trigger = 'schedule' AND job_id = '" + job + "'");
    return !fired.empty() && shows_run(fired, "queued")(viewer);
  }));
  // A single test has no job.
  auto const test = id_of(client.post("/api/tests", R"({"title":"t","type":"command","script":"true"})"));
  auto const single = id_of(client.post("/api/tests/" + test + "/execute"));
  CHECK(p.sees([&](viewer const& viewer) {
    return has_event(viewer, "runs", [&](std::string const& data) {
      return data.find("{\"id\":\"" + single + "\",\"jobId\":null,\"status\":\"queued\"}") != data.npos;
    });
  }));
}

TEST_CASE("a viewer sees verdicts, outages, alerts and deliveries, whichever thread writes them") {
  watched_project p;
  auto client = p.client(0);
  auto const nowhere = "127.0.0.1:" + std::to_string(free_port());
  // A provider that nobody can reach: its alert fails, and so does its health.
  auto const provider =
      id_of(client.post("/api/notification-providers",
                        R"({"name":"hook","type":"webhook","config":{"url":"https://)" + nowhere + R"(/"}})"));
  auto const alerts = R"(,"alertConfig":{"enabled":true,"notificationProviders":[")" + provider +
                      R"("],"alertOnFailure":true,"failureThreshold":1})";
  auto const seen_outage = [](std::string const& monitor) {
    return [monitor](viewer const& viewer) {
      auto const outage = house().word("SELECT id FROM outages WHERE monitor_id = '" + monitor + "'");
      return !outage.empty() && names("outage", outage)(viewer);
    };
  };
  // A heartbeat: the thread of the API that takes it.
  auto const heartbeat = client.post(
      "/api/monitors",
      R"({"name":"backup","type":"heartbeat","config":{"schedule":{"everySeconds":3600}})" + alerts + "}");
  auto const backup = id_of(heartbeat);
  auto const url = text_of(body_of(heartbeat), "/heartbeat/url");
  auto const signal = url.substr(url.find("/api/heartbeats/"));
  auto& viewer = *p.all.all().front();
  REQUIRE(p.sees(names("monitor", backup)));
  viewer.others.clear(), viewer.data.clear();
  REQUIRE(house().client(0).post(signal + "/fail").status == 200);
  CHECK(p.sees(names("monitor", backup)));
  CHECK(p.sees(seen_outage(backup)));
  CHECK(p.sees(names("alert")));
  // The thread that delivers.
  auto const alert = house().word("SELECT id FROM alerts WHERE target_id = '" + backup + "'");
  CHECK(p.sees(names("alert", alert)));
  CHECK(p.sees(names("notification_provider", provider)));
  // A check: its own thread.
  auto const site =
      id_of(client.post("/api/monitors", R"({"name":"site","type":"http_request","target":"http://)" + nowhere +
                                             R"(/","config":{"retryStrategy":{"maxRetries":0}})" + alerts + "}"));
  CHECK(p.sees(seen_outage(site)));
  viewer.others.clear(), viewer.data.clear();
  // A request that ends an outage.
  CHECK(client.post("/api/monitors/" + site + "/pause").status == 200);
  CHECK(p.sees(seen_outage(site)));
}

TEST_CASE("nobody sees the changes of another project") {
  watched_project mine;
  feed_project other(house());
  auto client = other.client(0);
  auto const job = make_job(client);
  REQUIRE(client.post(trigger_path(job)).status == 202);
  // A later change of the own project arrives.
  auto own = mine.client(0);
  CHECK(mine.sees(names("tag", id_of(own.post("/api/tags", R"({"name":"after"})")))));
  for (auto const& data : mine.all.all().front()->data) CHECK(data.find(job) == data.npos);
  // And nobody watches a project without a role in it.
  audience strangers(house().text("caFile"));
  auto& refused = strangers.ask(house().url(1), feed_request(mine.page, other.project));
  CHECK(strangers.read_until([](viewer const& viewer) { return viewer.status != 0; }));
  CHECK(refused.status == 404);
}

}  // namespace
}  // namespace svc::test
