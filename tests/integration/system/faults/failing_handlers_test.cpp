// An exception that nobody expects ends neither the process nor the work on which others depend.
#include "integration/system/jobs.hpp"
#include "integration/system/monitoring/tried_monitors.hpp"
#include "support/comes_true.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

bool shows_failure(monitor_trials const& trials, std::string const& thread) {
  auto const series = "svc_thread_failures_total{thread=\"" + thread + "\"";
  return comes_true([&] { return sum_of(trials.metrics(), series) == 1; }, 10s);
}

TEST_CASE("an exception that a handler of the check thread lets out is logged, and its user is answered at once") {
  monitor_trials const trials;
  trials.set_failpoint("checks.begin_test=bug*1");
  auto const begun = std::chrono::steady_clock::now();
  CHECK(trials.try_monitor().status == 503);
  CHECK(std::chrono::steady_clock::now() - begun < 10s);
  auto const line = trials.process().wait_error_line("a handler threw an exception");
  CHECK(line.find("\"thread\":\"checks-0\"") != std::string::npos);
  CHECK(trials.try_monitor().status == 200);
  CHECK(shows_failure(trials, "checks-0"));
}

TEST_CASE("an exception of work that nobody waits for is logged and counted, and requests continue") {
  monitor_trials const trials({"SVC_WORKERS=1"});
  // A record of a token is put into Redis after the request has been answered.
  trials.set_failpoint("auth.put=bug*1");
  CHECK(trials.client().get("/api/auth/whoami").status == 200);
  auto const line = trials.process().wait_error_line("a handler threw an exception");
  CHECK(line.find("\"thread\":\"worker-0\"") != std::string::npos);
  CHECK(trials.client().get("/api/auth/whoami").status == 200);
  CHECK(shows_failure(trials, "worker-0"));
}

TEST_CASE("shared work that throws is logged, its callers are answered, and the next one is done") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto const service = fleet.beside({"SVC_WORKERS=1"});
  api_client owner(service->url(), fleet.text("caFile"), tenant.token, 60s);
  api_client pages(service->admin_url(), {}, {});
  auto const job = make_job(owner);

  REQUIRE(pages.post("/debug/failpoints", "trigger.send=bug*1").status == 200);
  CHECK(owner.post(trigger_path(job), "{}").status == 500);
  auto const line = service->process().wait_error_line("work on which others depend failed");
  CHECK(line.find("a batch of triggers") != std::string::npos);
  CHECK(owner.post(trigger_path(job), "{}").status == 202);

  // Each connection to Redis fails inside once; before, that ended the process.
  REQUIRE(pages.post("/debug/failpoints", "redis.connected=bug*2").status == 200);
  fleet.redis({"CLIENT", "KILL", "TYPE", "normal"});
  service->process().wait_error_line("the connection to Redis");
  auto const connected = [&] { return sum_of(pages.get("/metrics").body, "svc_redis_up{") == 1; };
  CHECK(comes_true(connected, 20s));
  CHECK(owner.post(trigger_path(job), "{}").status == 202);
}

}  // namespace
}  // namespace svc::test
