// When an instance is killed while it handles results, acknowledged results are kept, and the others can be reported
// again.
#include "faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"
#include "support/together.hpp"

#include <atomic>
#include <mutex>
#include <set>

namespace svc::test {
namespace {

namespace json = boost::json;

constexpr int runs = 96, tellers = 16, acknowledged_before = runs / 4;

struct alerted_runs {
  std::mutex mutex{};
  std::set<std::string> acknowledged{};
  std::atomic<int> count = 0;
  std::atomic<int> others = 0;  ///< answers that are neither a success nor from a service that is ending

  void hear(std::string const& run, int status) {
    if (status != 204) {
      if (status != 503) ++others;
      return;
    }
    std::lock_guard const lock(mutex);
    acknowledged.insert(run);
    ++count;
  }
};

/// Every other result comes with its output.
answer notify(runner_client& client, json::value const& claim, std::size_t which) {
  return which % 2 == 0 ? client.complete_with(claim, "line of " + text_of(claim, "/runId"))
                        : client.complete(claim, "passed");
}

TEST_CASE("kill -9 in the middle of results: none that was acknowledged is lost, the others are reported again") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  configured_service service(fleet.dev(), both_kinds), other(fleet.dev(), both_kinds);
  api_client user("https://" + other.address(0), fleet.text("caFile"), tenant.token);
  auto const job = make_job(user);
  for (int i = 0; i < runs; ++i) REQUIRE(user.post(trigger_path(job)).status == 202);
  auto const secret = text_of(fleet.admin({"create-runner", "--project", tenant.project, "--name", "r"}), "/key");
  auto const runner = [&](configured_service& target) {
    return runner_client("https://" + target.address(1), fleet.text("caFile"), secret);
  };
  auto first = runner(service);
  REQUIRE(first.enroll().status == 200);
  auto const claims = claims_of(first.claim(0, runs));
  REQUIRE(claims.size() == runs);

  // Committed, but not answered yet.
  REQUIRE(
      api_client(service.admin_url(), {}, {}).post("/debug/failpoints", "complete.after_commit=delay:200").status ==
      200);
  alerted_runs reported;
  std::thread load([&] {
    together(tellers, [&](int teller) {
      try {
        auto client = runner(service);
        for (std::size_t i = static_cast<std::size_t>(teller); i < claims.size(); i += tellers)
          reported.hear(text_of(claims[i], "/runId"), notify(client, claims[i], i).status);
      } catch (std::runtime_error const&) {
        // The instance is gone.
      }
    });
  });
  auto const of_job = " FROM runs WHERE job_id = '" + job + "'";
  auto const passed = [&] {
    return std::stoi(fleet.sql("SELECT count(*)" + of_job + " AND status = 'passed'")[0][0]);
  };
  CHECK(comes_true([&] { return reported.count >= acknowledged_before && passed() > reported.count; }, patience));
  service.process().kill();
  load.join();

  std::set<std::string> kept;
  for (auto const& row : fleet.sql("SELECT id" + of_job + " AND status = 'passed'")) kept.insert(row[0]);
  CHECK(reported.others == 0);
  // Otherwise the machine stood still, and the kill did not come in the middle.
  WARN(reported.acknowledged.size() < runs);
  WARN(kept.size() > reported.acknowledged.size());
  for (auto const& run : reported.acknowledged) CHECK(kept.contains(run));

  auto second = runner(other);
  for (std::size_t i = 0; i < claims.size(); ++i) CHECK(notify(second, claims[i], i).status == 204);
  // Each ended once, however often it was reported: a claim and a result are one version each.
  CHECK(fleet.sql("SELECT count(*)" + of_job + " AND status = 'passed' AND attempt = 1 AND version = 3")[0][0] ==
        std::to_string(runs));
  CHECK(fleet.sql("SELECT count(*) FROM run_results e LEFT JOIN run_output o USING (run_id) WHERE e.job_id = '" +
                  job + "' AND (o.run_id IS NULL) = coalesce(e.silent, false)")[0][0] == std::to_string(runs));
  // Output that came with a result was stored with it, and is there once.
  for (std::size_t i = 0; i < claims.size(); ++i) {
    auto const run = text_of(claims[i], "/runId");
    auto const expected = i % 2 == 0 ? "line of " + run + "\n" : std::string();
    CHECK(user.get("/api/runs/" + run + "/output").body == expected);
  }
}

}  // namespace
}  // namespace svc::test
