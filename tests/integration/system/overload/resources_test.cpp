#include "resources.hpp"
#include "integration/system/jobs.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("tests: made, found, changed, kept while a job uses them") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto reader = fleet.client(1, tenant.token);
  auto const made = owner.post("/api/tests", R"({"title":"Log 100%_in","type":"command","script":"echo 1"})");
  auto const id = id_of(made);
  auto const path = "/api/tests/" + id;
  CHECK(text_of(body_of(made), "/script") == "echo 1");
  CHECK_FALSE(body_of(reader.get(path)).contains("script"));
  CHECK(text_of(body_of(reader.get(path + "?includeScript=true")), "/script") == "echo 1");

  struct {
    std::string search;
    int found;
  } const searches[] = {{"log", 1}, {"100%25_", 1}, {"%25", 1}, {"_", 1}, {"1%25in", 0}, {"zzz", 0}};
  for (auto const& c : searches) {
    CAPTURE(c.search);
    auto const list = body_of(reader.get("/api/tests?search=" + c.search));
    CHECK(list.at("pagination").at("total") == c.found);
  }

  auto const etag = reader.get(path).header("etag").value();
  CHECK(owner.call("PATCH", path, R"({"priority":"high"})", {{"If-Match", etag}}).status == 200);
  CHECK(owner.call("PATCH", path, R"({"priority":"low"})", {{"If-Match", etag}}).status == 412);
  CHECK(text_of(body_of(reader.get(path)), "/priority") == "high");

  auto const job =
      id_of(owner.post("/api/jobs", R"({"name":"uses","jobType":"command","tests":[{"id":")" + id + R"("}]})"));
  auto const used = owner.del(path);
  CHECK(code_of(used) == "test_in_use");
  CHECK(used.body.find(job) != std::string::npos);
  CHECK(code_of(owner.patch(path, R"({"type":"browser"})")) == "test_in_use");
  CHECK(owner.del("/api/jobs/" + job).status == 204);
  CHECK(owner.del(path).status == 204);
  CHECK(code_of(reader.get(path)) == "not_found");
}

TEST_CASE("jobs: checked on creation, listed in pages, merged by PATCH") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const test = id_of(owner.post("/api/tests", R"({"title":"t","type":"command","script":"true"})"));
  struct {
    std::string name, body;
  } const wrong[] = {
      {"no name", R"({})"},
      {"unknown test", R"({"name":"j","jobType":"command","tests":[{"id":")" + nobody + R"("}]})"},
      {"another project's test",
       R"({"name":"j","jobType":"command","tests":[{"id":")" + fleet.text("testId") + R"("}]})"},
      {"a test of another type", R"({"name":"j","jobType":"k6","tests":[{"id":")" + test + R"("}]})"},
      {"a test twice",
       R"({"name":"j","jobType":"command","tests":[{"id":")" + test + R"("},{"id":")" + test + R"("}]})"},
      {"bad cron", R"({"name":"j","cronSchedule":"61 * * * *"})"},
      {"bad zone", R"({"name":"j","timeZone":"Mars/Base"})"},
      {"timeout 0", R"({"name":"j","timeoutSeconds":0})"},
      {"parameter in small letters", R"({"name":"j","parameters":[{"name":"branch"}]})"},
  };
  for (auto const& c : wrong) {
    CAPTURE(c.name);
    auto const got = owner.post("/api/jobs", c.body);
    CHECK(code_of(got) == "validation_failed");
    CHECK(body_of(got).contains("details"));
  }

  std::vector<std::string> ids;
  for (auto const* name : {"a", "b", "c"})
    ids.push_back(
        id_of(owner.post("/api/jobs", R"({"name":")" + std::string(name) + R"(","cronSchedule":"0 3 * * *"})")));
  auto const page = owner.get("/api/jobs?limit=2&sort=name");
  auto const list = body_of(page);
  CHECK(text_of(list, "/data/0/name") == "a");
  CHECK(list.at("pagination").at("total") == 3);
  CHECK(list.at("pagination").at("totalPages") == 2);
  CHECK(list.at("pagination").at("hasNextPage") == true);
  CHECK(page.header("link").value_or("").find("rel=\"next\"") != std::string::npos);
  CHECK(text_of(body_of(owner.get("/api/jobs?limit=2")), "/data/0/id") == ids[2]);

  auto const path = "/api/jobs/" + ids[0];
  CHECK(body_of(owner.get(path)).at("nextRunAt").is_string());
  CHECK(owner.patch(path, R"({"cronSchedule":null,"description":"d"})").status == 200);
  auto const changed = body_of(owner.get(path));
  CHECK(changed.at("nextRunAt").is_null());
  CHECK(text_of(changed, "/description") == "d");
  CHECK(text_of(changed, "/name") == "a");
  CHECK(code_of(owner.patch(path, R"({"jobType":"k6"})")) == "validation_failed");
}

TEST_CASE("triggering: each verdict, and the run it makes") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job =
      make_job(owner, R"("parameters":[{"name":"BRANCH","required":true},{"name":"MODE","default":"fast"}])");
  auto const path = trigger_path(job);
  auto const key = make_key(owner, job, "github");
  auto const other_job = make_job(owner);
  auto with_key = fleet.client(1, key.key);
  std::string const good = R"({"parameters":{"BRANCH":"main"}})";
  struct {
    std::string name, target, body;
    int status;
    std::string code;
  } const cases[] = {
      {"good", path, good, 202, ""},
      {"required missing", path, "{}", 400, "validation_failed"},
      {"undeclared", path, R"({"parameters":{"BRANCH":"main","X":"1"}})", 400, "validation_failed"},
      {"no string", path, R"({"parameters":{"BRANCH":1}})", 400, "validation_failed"},
      {"dedupKey", path, R"({"parameters":{"BRANCH":"main"},"dedupKey":"a"})", 202, ""},
      {"wait of 56", path + "?wait=56", good, 400, "validation_failed"},
      {"another job", trigger_path(other_job), "", 401, "wrong_job"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const got = with_key.post(c.target, c.body);
    CHECK(got.status == c.status);
    CHECK(code_of(got) == c.code);
  }
  auto const first = body_of(with_key.call("POST", path, good, {{"Idempotency-Key", "a"}}));
  auto const retried = with_key.call("POST", path, good, {{"Idempotency-Key", "a"}});
  CHECK(retried.header("idempotent-replayed") == "true");
  CHECK(text_of(body_of(retried), "/data/runId") == text_of(first, "/data/runId"));
  auto const elsewhere = make_key(owner, job, "elsewhere", R"("allowedCidrs":["10.0.0.0/8"])");
  CHECK(fleet.client(1, elsewhere.key).post(path, good).status == 403);

  auto const accepted = with_key.post(path, good);
  auto const run = text_of(body_of(accepted), "/data/runId");
  CHECK(accepted.header("location") == "/api/runs/" + run);
  CHECK(text_of(body_of(accepted), "/data/triggeredBy") == "github");
  auto const stored = body_of(owner.get("/api/runs/" + run));
  CHECK(text_of(stored, "/status") == "queued");
  CHECK(text_of(stored, "/trigger") == "remote");
  CHECK(stored.at("parameters") == boost::json::value{{"BRANCH", "main"}, {"MODE", "fast"}});
  // Four good ones; neither the retry nor a refusal created a run.
  CHECK(body_of(owner.get("/api/runs?jobId=" + job)).at("pagination").at("total") == 4);

  CHECK(owner.post(path, good).status == 202);
  CHECK(owner.patch("/api/jobs/" + job, R"({"enabled":false})").status == 200);
  CHECK(code_of(with_key.post(path, good)) == "job_disabled");
  CHECK(code_of(owner.post(path, good)) == "job_disabled");
  CHECK(owner.patch("/api/jobs/" + job, R"({"enabled":true,"tests":[]})").status == 200);
  CHECK(code_of(owner.post(path, good)) == "job_has_no_tests");
  CHECK(owner.del("/api/jobs/" + job).status == 204);
  CHECK(code_of(owner.post(path, good)) == "not_found");
  CHECK(code_of(with_key.post(path, good)) == "token_revoked");
  CHECK(owner.get("/api/runs/" + run).status == 200);
}

TEST_CASE("a trigger key lives with its creator's right to trigger") {
  auto& fleet = shared_fleet();
  auto const boss = fleet.make_tenant();
  auto const member = fleet.make_member(boss, "project_editor");
  auto editor = fleet.client(0, member.token);
  auto const job = make_job(editor);
  auto const key = make_key(editor, job, "k");
  auto with_key = fleet.client(1, key.key);
  auto const call = [&] { return with_key.post(trigger_path(job)); };
  CHECK(call().status == 202);
  CHECK(editor.patch("/api/jobs/" + job + "/trigger-keys/" + key.id, R"({"enabled":false})").status == 200);
  CHECK(code_of(call()) == "token_disabled");
  CHECK(editor.patch("/api/jobs/" + job + "/trigger-keys/" + key.id, R"({"enabled":true})").status == 200);
  CHECK(call().status == 202);
  fleet.admin({"set-role", "--project", boss.project, "--user", member.user, "--role", "project_viewer"});
  CHECK(code_of(call()) == "permission_denied");
  fleet.admin({"remove-member", "--organization", boss.organization, "--user", member.user});
  CHECK(code_of(call()) == "owner_removed");
}

TEST_CASE("runs: listed by their properties, shown, cancelled while queued") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(1, tenant.token);
  auto const job = make_job(owner);
  auto const trigger = [&] { return text_of(body_of(owner.post(trigger_path(job))), "/data/runId"); };
  auto const first = trigger();
  auto const second = trigger();
  auto const total = [&](std::string const& query) {
    return body_of(owner.get("/api/runs?" + query)).at("pagination").at("total").as_int64();
  };
  CHECK(owner.post("/api/runs/" + first + "/cancel").status == 202);
  CHECK(code_of(owner.post("/api/runs/" + first + "/cancel")) == "run_already_over");
  CHECK(text_of(body_of(owner.get("/api/runs/" + first + "/status")), "/status") == "cancelled");
  fleet.sql("UPDATE runs SET status = 'running', started_at = clock_timestamp() WHERE id = '" + second + "'");
  CHECK(owner.post("/api/runs/" + second + "/cancel").status == 202);
  CHECK(total("status=cancelled") == 1);
  CHECK(total("status=running&trigger=remote") == 1);
  CHECK(total("trigger=schedule") == 0);
  CHECK(total("jobId=" + nobody) == 0);
  CHECK(total("from=2020-01-01T00:00:00Z") == 2);
  CHECK(total("to=2020-01-01T00:00:00Z") == 0);
  CHECK(code_of(owner.get("/api/runs?from=yesterday")) == "validation_failed");
  CHECK(text_of(body_of(owner.get("/api/jobs/" + job)), "/status") == "running");
  CHECK(code_of(owner.get("/api/runs/" + nobody)) == "not_found");
}

TEST_CASE("runs are repeated with their parameters, tests run by themselves, retries once; ended ones are deleted") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto other = fleet.client(1, tenant.token);
  auto const job = make_job(owner, R"("parameters":[{"name":"BRANCH","default":"main"}])");
  auto const first =
      text_of(body_of(owner.post(trigger_path(job), R"({"parameters":{"BRANCH":"x"}})")), "/data/runId");
  header_list const key{{"Idempotency-Key", "again"}};
  auto const repeated = owner.call("POST", "/api/runs/" + first + "/rerun", {}, key);
  REQUIRE(repeated.status == 202);
  CHECK(body_of(repeated).at("parameters") == boost::json::value{{"BRANCH", "x"}});
  CHECK(text_of(body_of(repeated), "/id") != first);
  auto const retried = other.call("POST", "/api/runs/" + first + "/rerun", {}, key);
  CHECK(retried.header("idempotent-replayed") == "true");
  CHECK(text_of(body_of(retried), "/id") == text_of(body_of(repeated), "/id"));
  // One key, but two different requests to one job.
  CHECK(code_of(owner.call("POST", trigger_path(job), {}, key)) == "idempotency_mismatch");

  auto const test = text_of(body_of(owner.get("/api/jobs/" + job)), "/tests/0/id");
  auto const single = owner.post("/api/tests/" + test + "/execute");
  REQUIRE(single.status == 202);
  CHECK(text_of(body_of(single), "/testId") == test);
  CHECK(body_of(single).at("jobId").is_null());
  auto const path = "/api/runs/" + text_of(body_of(single), "/id");
  CHECK(single.header("location") == path);
  CHECK(text_of(body_of(owner.post(path + "/rerun")), "/testId") == test);

  CHECK(code_of(owner.del(path)) == "run_not_over");
  CHECK(owner.post(path + "/cancel").status == 202);
  CHECK(owner.del(path).status == 204);
  CHECK(code_of(other.get(path)) == "not_found");
  CHECK(owner.del("/api/jobs/" + job).status == 204);
  CHECK(code_of(owner.post("/api/runs/" + first + "/rerun")) == "not_found");
}

TEST_CASE("the audit trail shows only the project's own rows, and only to administrators") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto const editor = fleet.make_member(tenant, "project_editor");
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto by_editor = fleet.client(1, editor.token);
  make_job(by_editor);
  auto const total = [&](std::string const& query) {
    return body_of(owner.get("/api/audit?" + query)).at("pagination").at("total").as_int64();
  };
  CHECK(total("action=job.created") == 2);
  CHECK(total("action=job.created&actorId=" + tenant.user_id) == 1);
  CHECK(total("actorId=" + nobody) == 0);
  CHECK(total("to=2020-01-01T00:00:00Z") == 0);
  CHECK(total("from=2020-01-01T00:00:00Z") == total("limit=1"));
  auto const row = body_of(owner.get("/api/audit?action=job.created&actorId=" + tenant.user_id)).at("data").at(0);
  CHECK(text_of(row, "/resourceId") == job);
  CHECK(text_of(row, "/actor/tokenId") == tenant.token_id);
  CHECK(code_of(by_editor.get("/api/audit")) == "permission_denied");
}

}  // namespace
}  // namespace svc::test
