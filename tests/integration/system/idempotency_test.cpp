#include "integration/system/overload/resources.hpp"
#include "jobs.hpp"

namespace svc::test {
namespace {

TEST_CASE("a retry is answered for 24 hours, also when its run has been deleted") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto other = fleet.client(1, tenant.token);
  auto const job = make_job(owner, R"("parameters":[{"name":"BRANCH","default":"main"}])");
  auto const test = text_of(body_of(owner.get("/api/jobs/" + job)), "/tests/0/id");
  auto const source = text_of(body_of(owner.post(trigger_path(job))), "/data/runId");
  struct {
    std::string key, path, query, id, status, created;
    bool shows_run;
  } const cases[] = {
      {"trigger", trigger_path(job), "", "/data/runId", "/data/status", "/data/triggeredAt", false},
      {"waiting", trigger_path(job), "?wait=5", "/data/runId", "/data/status", "/data/triggeredAt", false},
      {"rerun", "/api/runs/" + source + "/rerun", "", "/id", "/status", "/queuedAt", true},
      {"execute", "/api/tests/" + test + "/execute", "", "/id", "/status", "/queuedAt", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.key);
    header_list const key{{"Idempotency-Key", c.key}};
    auto const first = owner.call("POST", c.path, {}, key);
    REQUIRE(first.status == 202);
    auto const run = text_of(body_of(first), c.id);
    CHECK(owner.post("/api/runs/" + run + "/cancel").status == 202);
    CHECK(owner.del("/api/runs/" + run).status == 204);
    auto const again = other.call("POST", c.path + c.query, {}, key);
    CHECK(again.status == 202);
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(again.header("location") == "/api/runs/" + run);
    auto const body = body_of(again);
    CHECK(text_of(body, c.id) == run);
    CHECK(text_of(body, c.status) == "cancelled");
    CHECK(text_of(body, c.created) == text_of(body_of(first), c.created));
    if (c.shows_run)
      CHECK(body.at("deleted") == true);
    else
      CHECK_FALSE(body.at("data").as_object().contains("run"));
  }
}

}  // namespace
}  // namespace svc::test
