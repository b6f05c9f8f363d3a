// An instance is killed after a COMMIT that makes a run claimable, before it tells anyone. A claim that waits on
// another instance finds the run by looking, which it does every second.
#include "faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"

#include <future>

namespace svc::test {
namespace {

/// One second is promised; a loaded machine gets more, but less than the lease, after which any run is found.
constexpr seconds found_within{15};
constexpr int killed_by_failpoint = 137;

/// One instance that will die, and others that make no runs claimable meanwhile.
struct lost_news {
  lost_news() {
    REQUIRE(runner.enroll().status == 200);
    REQUIRE(text_of(job_page(), "/id") == job);
  }
  ~lost_news() { arm_others("schedule.before=delay:0"); }
  lost_news(lost_news const&) = delete;
  lost_news& operator=(lost_news const&) = delete;

  boost::json::object job_page() { return body_of(user.get("/api/jobs/" + job)); }
  static void arm(std::string const& admin, std::string const& subject) {
    CHECK(api_client(admin, {}, {}).post("/debug/failpoints", subject).status == 200);
  }
  void arm_dying(std::string const& subject) { arm(dying.admin_url(), subject); }
  void arm_others(std::string const& subject) {
    arm(other.admin_url(), subject);
    for (std::size_t i = 0; i < fleet.size(); ++i) arm(fleet.admin_url(i), subject);
  }
  std::string runs() { return fleet.sql("SELECT count(*) FROM runs WHERE job_id = '" + job + "'")[0][0]; }

  /// The run that `make_claimable` commits last is claimed by a runner that is already waiting.
  boost::json::value find_after(std::function<void()> const& make_claimable) {
    auto waiting = std::async(std::launch::async, [&] { return runner.claim(30); });
    make_claimable();
    auto const died = dying.process().wait();
    auto const start = clock::now();
    auto const got = claims_of(waiting.get());
    CHECK(clock::now() - start < found_within);
    CHECK(died == killed_by_failpoint);
    CHECK(runs() == "1");
    REQUIRE(got.size() == 1);
    return got[0];
  }

  class fleet& fleet = shared_fleet();
  tenant tenant = fleet.make_tenant();
  configured_service dying{fleet.dev(), both_kinds}, other{fleet.dev(), both_kinds};
  api_client user{"https://" + other.address(0), fleet.text("caFile"), tenant.token};
  std::string job = make_job(user, R"("cronSchedule":"0 0 1 1 *")");
  runner_client runner{"https://" + other.address(1), fleet.text("caFile"),
                       text_of(fleet.admin({"create-runner", "--project", tenant.project, "--name", "r"}), "/key")};
};

TEST_CASE("killed between a trigger's COMMIT and its news: a waiting claim finds the run") {
  lost_news news;
  news.arm_dying("trigger.after_commit=exit");
  auto const claim = news.find_after([&] {
    api_client client("https://" + news.dying.address(0), news.fleet.text("caFile"), news.tenant.token);
    CHECK_THROWS(client.post(trigger_path(news.job)));
  });
  CHECK(claim.at("attempt").as_int64() == 1);
  CHECK(news.runner.complete(claim, "passed").status == 204);
}

TEST_CASE("killed between a schedule's COMMIT and its news: a waiting claim finds the run, and only one exists") {
  lost_news news;
  news.arm_others("schedule.before=throw");
  news.arm_dying("schedule.after_commit=exit");
  auto const claim = news.find_after([&] {
    news.fleet.sql("UPDATE jobs SET next_run_at = date_trunc('minute', now()) WHERE id = '" + news.job + "'");
  });
  CHECK(claim.at("attempt").as_int64() == 1);
  news.arm_others("schedule.before=delay:0");
  CHECK(news.runner.complete(claim, "passed").status == 204);
  CHECK(news.runs() == "1");
}

TEST_CASE("a host that vanishes while its claim waits: with a first lease another runner soon gets its runs") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  configured_service const connection(fleet.dev(), both_kinds,
                                      {"SVC_RUNNERS_FIRST_LEASE=4s", "SVC_RUNNERS_LEASE=5m"});
  auto const make_runner = [&](std::string const& name) {
    runner_client made("https://" + connection.address(1), fleet.text("caFile"),
                       text_of(fleet.admin({"create-runner", "--project", tenant.project, "--name", name}), "/key"));
    REQUIRE(made.enroll().status == 200);
    return made;
  };
  auto vanished = make_runner("v"), other = make_runner("o");
  api_client user("https://" + connection.address(0), fleet.text("caFile"), tenant.token);
  REQUIRE(user.post(trigger_path(make_job(user))).status == 202);
  auto const lost = claims_of(vanished.claim(30)).at(0);
  CHECK(lost.at("leaseSeconds").as_int64() == 4);
  // Silence: nothing more is heard of the runner, and nothing says that it is gone.
  auto const again = claims_of(other.claim(30)).at(0);
  CHECK(again.at("runId") == lost.at("runId"));
  CHECK(again.at("attempt").as_int64() == 2);
  CHECK(body_of(other.heartbeat(again)).at("leaseSeconds").as_int64() == 300);
  CHECK(code_of(vanished.heartbeat(lost)) == "claim_lost");
  CHECK(code_of(vanished.complete(lost, "passed")) == "claim_lost");
  CHECK(other.complete(again, "passed").status == 204);
}

TEST_CASE("killed between a lost run's return to the queue and its news: a waiting claim finds the run") {
  lost_news news;
  REQUIRE(news.user.post(trigger_path(news.job)).status == 202);
  auto const first = claims_of(news.runner.claim(10)).at(0);
  news.arm_others("reaper.before=throw");
  news.arm_dying("reaper.after_commit=exit");
  auto const claim = news.find_after([&] {
    news.fleet.sql("UPDATE runs SET lease_until = now() - interval '1 second' WHERE job_id = '" + news.job + "'");
  });
  CHECK(claim.at("attempt").as_int64() == 2);
  CHECK(code_of(news.runner.complete(first, "passed")) == "claim_lost");
  CHECK(news.runner.complete(claim, "passed").status == 204);
}

}  // namespace
}  // namespace svc::test
