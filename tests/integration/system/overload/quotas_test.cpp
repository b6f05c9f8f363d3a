// Quotas of a project over two instances, while another project continues.
#include "integration/system/faults/faults.hpp"
#include "integration/system/jobs.hpp"
#include "support/together.hpp"

#include <functional>
#include <map>

namespace svc::test {
namespace {

constexpr int callers = 64;
constexpr int batch = 64;
constexpr int queue_limit = 150;

std::size_t const instances = static_cast<std::size_t>(long_form("TEST_INSTANCES", 2));

// One worker each, so that a refusal on an instance holds for the whole instance.
fleet& bounded() {
  static fleet fleet(instances,
                     {"SVC_INSTANCES=" + std::to_string(instances), "SVC_WORKERS=1", "SVC_QUOTAS_VARIABLES=12",
                      "SVC_QUOTAS_VARIABLE_BYTES=1000", "SVC_QUOTAS_TESTS=14", "SVC_QUOTAS_SCRIPT_BYTES=4000",
                      "SVC_QUOTAS_JOBS=10", "SVC_QUOTAS_QUEUED_RUNS=" + std::to_string(queue_limit)});
  return fleet;
}

/// By code; "" for created ones.
using tally = std::map<std::string, int>;

/// Each caller asks once, half of them on each instance, all connected beforehand.
tally ask_together(fleet& fleet, std::string const& token, std::string const& path,
                   std::function<std::string(int)> const& body) {
  std::vector<api_client> all;
  for (std::size_t i = 0; i < callers; ++i) {
    all.push_back(fleet.client(i % fleet.size(), token));
    REQUIRE(all.back().get("/livez").status == 200);
  }
  std::vector<answer> answers(all.size());
  together(callers, [&](int i) {
    auto const position = static_cast<std::size_t>(i);
    answers[position] = all[position].post(path, body(i));
  });
  tally out;
  for (auto const& got : answers) ++out[got.status < 300 ? "" : code_of(got)];
  return out;
}

std::int64_t number(api_client& client, std::string const& quota, std::string const& member = "used") {
  return body_of(client.get("/api/usage")).at(quota).at(member).as_int64();
}

TEST_CASE("64 at once make exactly as many of each thing as the project has room for") {
  auto& fleet = bounded();
  auto const tenant = fleet.make_tenant();
  auto client = fleet.client(0, tenant.token);
  make_job(client);
  struct {
    std::string path, code, quota;
    int held, most;
    std::function<std::string(int)> body;
  } const cases[] = {
      {"/api/variables", "variable_limit_reached", "variables", 0, 12,
       [](int i) { return R"({"key":"V)" + std::to_string(i) + R"(","value":"1"})"; }},
      {"/api/tests", "test_limit_reached", "tests", 1, 14,
       [](int) { return R"({"title":"t","type":"command","script":"true"})"; }},
      {"/api/jobs", "job_limit_reached", "jobs", 1, 10, [](int) { return R"({"name":"j","jobType":"command"})"; }},
  };
  for (auto const& c : cases) {
    CAPTURE(c.path);
    CHECK(number(client, c.quota) == c.held);
    CHECK(number(client, c.quota, "limit") == c.most);
    CHECK(ask_together(fleet, tenant.token, c.path, c.body) ==
          tally{{"", c.most - c.held}, {c.code, callers - c.most + c.held}});
    CHECK(number(client, c.quota) == c.most);
    auto const last = text_of(body_of(client.get(c.path + "?limit=1")), "/data/0/id");
    CHECK(client.del(c.path + "/" + last).status == 204);
    CHECK(client.post(c.path, c.body(99)).status == 201);
    CHECK(code_of(client.post(c.path, c.body(100))) == c.code);
  }
  auto const neighbour = fleet.make_tenant();
  auto other = fleet.client(1, neighbour.token);
  CHECK(number(other, "tests") == 0);
  CHECK_FALSE(make_job(other).empty());
}

TEST_CASE("64 at once stay within the bytes of a project") {
  auto& fleet = bounded();
  auto const tenant = fleet.make_tenant();
  auto client = fleet.client(0, tenant.token);
  auto const value = [](int i) {
    return R"({"key":"V)" + std::to_string(i) + R"(","value":")" + std::string(200, 'v') + R"("})";
  };
  CHECK(ask_together(fleet, tenant.token, "/api/variables", value) ==
        tally{{"", 5}, {"variable_bytes_exceeded", callers - 5}});
  auto const script = [](int) {
    return R"({"title":"t","type":"command","script":")" + std::string(900, 's') + R"("})";
  };
  CHECK(ask_together(fleet, tenant.token, "/api/tests", script) ==
        tally{{"", 4}, {"script_bytes_exceeded", callers - 4}});
  CHECK(number(client, "variableBytes") == 1000);
  CHECK(number(client, "scriptBytes") == 3600);
  auto const text = "/api/tests/" + text_of(body_of(client.get("/api/tests?limit=1")), "/data/0/id");
  CHECK(client.patch(text, R"({"script":")" + std::string(1300, 's') + R"("})").status == 200);
  CHECK(code_of(client.patch(text, R"({"script":")" + std::string(1301, 's') + R"("})")) == "script_bytes_exceeded");
  CHECK(client.patch(text, R"({"script":"short"})").status == 200);
}

/// Triggers until the queue is full, on both instances.
void flood(fleet& fleet, std::string const& token, std::string const& job) {
  std::atomic<int> odd = 0;
  together(16, [&](int i) {
    auto client = fleet.client(static_cast<std::size_t>(i) % fleet.size(), token);
    for (int asked = 0, refused = 0; refused < 5 && asked < 2 * queue_limit; ++asked) {
      auto const got = client.post(trigger_path(job), "");
      if (got.status == 202) continue;
      if (code_of(got) != "queue_full" || got.header("Retry-After") != "1") ++odd;
      ++refused;
    }
  });
  CHECK(odd == 0);
}

TEST_CASE("a flood of triggers fills a project's queue, exceeded by a batch per instance at most, nobody else's") {
  auto& fleet = bounded();
  auto const tenant = fleet.make_tenant(), neighbour = fleet.make_tenant();
  auto client = fleet.client(0, tenant.token), other = fleet.client(1, neighbour.token);
  auto const job = make_job(client), theirs = make_job(other);
  auto const first = client.call("POST", trigger_path(job), "", {{"Idempotency-Key", "first"}});
  REQUIRE(first.status == 202);
  auto const queued = [&] {
    return std::stoi(fleet.sql("SELECT count(*) FROM runs WHERE status = 'queued' AND job_id = '" + job + "'")[0][0]);
  };
  flood(fleet, tenant.token, job);
  CHECK(queued() >= queue_limit);
  CHECK(queued() <= queue_limit + static_cast<int>(instances) * batch);
  CHECK(number(client, "queuedRuns") == queued());
  for (int i = 0; i < 20; ++i) CHECK(other.post(trigger_path(theirs), "").status == 202);

  auto const again = client.call("POST", trigger_path(job), "", {{"Idempotency-Key", "first"}});
  CHECK(again.status == 202);
  CHECK(again.header("Idempotent-Replayed") == "true");
  auto const run = text_of(body_of(first), "/data/runId");
  CHECK(code_of(client.post("/api/runs/" + run + "/rerun", "")) == "queue_full");
  auto const test = text_of(body_of(client.get("/api/tests?limit=1")), "/data/0/id");
  CHECK(code_of(client.post("/api/tests/" + test + "/execute", "")) == "queue_full");
  CHECK(client.get("/api/runs?limit=1").status == 200);

  fleet.sql("UPDATE jobs SET cron_schedule = '0 0 1 1 *', next_run_at = now() WHERE id = '" + job + "'");
  auto const skips = [&] { return body_of(client.get("/api/audit?action=job.schedule_skipped")); };
  REQUIRE(comes_true([&] { return !skips().at("data").as_array().empty(); }, seconds(20)));
  CHECK(text_of(skips(), "/data/0/details/reason") == "queue_full");

  fleet.sql("UPDATE runs SET status = 'cancelled', completed_at = now() WHERE job_id = '" + job + "'");
  CHECK(comes_true([&] { return client.post(trigger_path(job), "").status == 202; }, seconds(10)));
}

}  // namespace
}  // namespace svc::test
