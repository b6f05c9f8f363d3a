// A runner that asks for large scripts and does not read them holds its share of the account of responses, and gets
// no more. Nobody else notices, and no run is lost.
#include "integration/system/faults/faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/overload/resources.hpp"
#include "integration/system/runner.hpp"
#include "support/metrics_page.hpp"
#include "support/stalled_clients.hpp"

#include <doctest/doctest.h>

#include <list>

namespace svc::test {
namespace {

constexpr std::size_t script_bytes = 4UL * 1024 * 1024, token_share = 32UL * 1024 * 1024;

/// An instance with a listener for runners, and a project whose runs have one large script each.
struct script_service {
  script_service()
      : service(fleet.dev(),
                "workers = 1\nhttp.write_timeout = '60s'\nhttp.deadline = '10s'\nhttp.response_bytes_per_user = " +
                    std::to_string(token_share) + "\n" + both_kinds),
        user("https://" + service.address(0), fleet.text("caFile"), tenant.token) {
    auto const made = user.post(
        "/api/tests", R"({"title":"t","type":"command","script":")" + std::string(script_bytes, 'x') + "\"}");
    REQUIRE(made.status == 201);
    test = id_of(made);
  }

  std::string new_secret() {
    return text_of(
        fleet.admin({"create-runner", "--project", tenant.project, "--name", "r" + std::to_string(++names)}), "/key");
  }
  runner_client runner(std::string const& secret) {
    return {"https://" + service.address(1), fleet.text("caFile"), secret};
  }
  std::string queue_run() {
    auto const queued = user.post("/api/tests/" + test + "/execute");
    REQUIRE(queued.status == 202);
    return text_of(body_of(queued), "/id");
  }
  std::string status_of(std::string const& run) {
    return text_of(body_of(user.get("/api/runs/" + run + "/status")), "/status");
  }
  double held() const {
    return sum_of(api_client(service.admin_url(), {}, {}).get("/metrics").body, "svc_account_held{",
                  "account=\"responses\"");
  }

  class fleet& fleet = shared_fleet();
  tenant tenant = fleet.make_tenant();
  configured_service service;
  api_client user;
  std::string test{};
  int names = 0;
};

TEST_CASE("a runner whose unread scripts use up its share gets no more, others do, and no run is lost") {
  script_service service;
  auto const secret = service.new_secret();
  auto greedy = service.runner(secret), other = service.runner(service.new_secret());
  REQUIRE(greedy.enroll("greedy").status == 200);
  REQUIRE(other.enroll("other").status == 200);
  service.queue_run();
  auto const claims = claims_of(greedy.post("claim", {{"executorId", greedy.id()},
                                                      {"labels", {"command"}},
                                                      {"max", 1},
                                                      {"waitSeconds", 0},
                                                      {"scriptsApart", true}}));
  REQUIRE(claims.size() == 1);
  auto const path = "runs/" + text_of(claims.front(), "/runId") + "/scripts";
  boost::json::object const body{{"claimId", claims.front().at("claimId")}, {"tests", {service.test}}};
  auto const text = boost::json::serialize(body);
  stall const unread{.name = "unread",
                     .opening = "POST /internal/v1/" + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " +
                                secret + "\r\nContent-Type: application/json\r\nContent-Length: " +
                                std::to_string(text.size()) + "\r\n\r\n" + text,
                     .reads = false};
  CHECK(greedy.post(path, body).status == 200);
  std::list<stalled_clients> all;
  // With its frame each answer has more than 4 MiB, so there is no room for an eighth.
  for (std::size_t i = 1; i <= 7; ++i) {
    all.emplace_back("https://" + service.service.address(1), unread, 1);
    auto const least = static_cast<double>(i * script_bytes);
    CAPTURE(i);
    CAPTURE(service.held());
    REQUIRE(comes_true([&] { return service.held() >= least && service.held() < least + script_bytes; }, patience));
  }
  auto const refused = greedy.post(path, body);
  CHECK(refused.status == 503);
  CHECK(code_of(refused) == "overloaded");
  CHECK(refused.header("retry-after") == "1");
  CHECK(greedy.heartbeat(claims.front()).status == 200);

  // A claim with the scripts in its answer is refused too, and its run is for other runners.
  auto const run = service.queue_run();
  CHECK(greedy.claim().status == 503);
  CHECK(service.status_of(run) == "queued");
  auto const taken = claims_of(other.claim());
  REQUIRE(taken.size() == 1);
  CHECK(text_of(taken.front(), "/runId") == run);
  CHECK(other.complete(taken.front(), "passed").status == 204);
  CHECK(service.user.get("/api/tests/" + service.test + "?includeScript=true").status == 200);

  all.clear();
  CHECK(comes_true([&] { return service.held() == 0; }, patience));
  CHECK(greedy.post(path, body).status == 200);
  CHECK(greedy.complete(claims.front(), "passed").status == 204);
}

TEST_CASE("a run whose scripts are larger than a runner's share of unread responses is claimed by it") {
  script_service service;
  std::string tests;
  constexpr std::size_t number = token_share / script_bytes + 1;
  for (std::size_t i = 0; i < number; ++i) {
    auto const made = service.user.post(
        "/api/tests", R"({"title":"t","type":"command","script":")" + std::string(script_bytes, 'y') + "\"}");
    REQUIRE(made.status == 201);
    tests += (tests.empty() ? R"({"id":")" : R"(,{"id":")") + id_of(made) + "\"}";
  }
  auto const job = service.user.post("/api/jobs", R"({"name":"j","jobType":"command","tests":[)" + tests + "]}");
  REQUIRE(job.status == 201);
  REQUIRE(service.user.post(trigger_path(id_of(job))).status == 202);
  auto client = service.runner(service.new_secret());
  REQUIRE(client.enroll().status == 200);
  auto const claims = claims_of(client.claim());
  REQUIRE(claims.size() == 1);
  CHECK(claims.front().at("tests").as_array().size() == number);
  CHECK(comes_true([&] { return service.held() == 0; }, patience));
  CHECK(client.complete(claims.front(), "passed").status == 204);
}

}  // namespace
}  // namespace svc::test
