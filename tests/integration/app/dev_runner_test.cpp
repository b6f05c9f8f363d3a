// Tests the first thing that a newcomer sees: the seeded job runs.
#include "support/https_client.hpp"
#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

#include <boost/json.hpp>
#include <thread>

namespace svc::test {
namespace {

/// Triggers the seeded job and waits for its end. Returns the run and its last status.
std::pair<std::string, std::string> run_seeded_job(dev_service const& service) {
  support::api_client api(service.text("url"), service.text("caFile"), service.text("token"));
  auto const triggered = api.post("/api/jobs/" + service.text("jobId") + "/trigger?wait=9");
  REQUIRE(triggered.status / 100 == 2);
  auto run = std::string(boost::json::parse(triggered.body).at_pointer("/data/runId").as_string());
  // The trigger's wait is shorter than the client's timeout; a slow machine needs several waits.
  std::string status;
  for (int i = 0; i < 4 && status != "passed"; ++i)
    status = boost::json::parse(api.get("/api/runs/" + run + "?wait=9").body).as_object().at("status").as_string();
  return {std::move(run), std::move(status)};
}

TEST_CASE("the seeded job runs to passed, and its runner ends with the service") {
  temporary_directory const dir;
  dev_service dev(dir.path(), {with_runner});
  process_watch const runner(dev.pid_of("runner"));
  CHECK_FALSE(runner.ended_within(std::chrono::seconds(0)));
  struct stat about{};
  REQUIRE(stat((dir.path() + "/runner.token").c_str(), &about) == 0);
  CHECK((about.st_mode & 0777U) == 0600U);

  auto const [run, status] = run_seeded_job(dev);
  CHECK(status == "passed");
  support::api_client api(dev.text("url"), dev.text("caFile"), dev.text("token"));
  std::string output;
  auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (output.find("done") == std::string::npos && std::chrono::steady_clock::now() < until) {
    auto const answer = api.get("/api/runs/" + run + "/output");
    if (answer.status == 200) output = answer.body;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(output.find("step 3 of 3") != std::string::npos);
  CHECK(output.find("done") != std::string::npos);

  CHECK(dev.process().stop() == 0);
  CHECK(runner.ended_within());
}

TEST_CASE("the runner does not outlive a service that is killed, and the next start has one again") {
  temporary_directory const dir;
  {
    dev_service dev(dir.path(), {with_runner});
    process_watch const runner(dev.pid_of("runner"));
    // The runner must still notice its parent's death, whatever a run needs of the system.
    CHECK(run_seeded_job(dev).second == "passed");
    dev.process().kill();
    CHECK(runner.ended_within());
  }
  dev_service again(dir.path(), {with_runner});
  CHECK(again.pid_of("runner") > 0);
  CHECK(again.process().stop() == 0);
}

TEST_CASE("without a runner runs stay queued") {
  temporary_directory const dir;
  dev_service dev(dir.path());
  CHECK(dev.line().at("pids").as_object().at("runner").is_null());
  CHECK(dev.process().stop() == 0);
}

}  // namespace
}  // namespace svc::test
