// Decisions of waiting claims that a client sees only by the time they take.
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"

#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <list>
#include <string>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

/// An instance with one worker, so that all claims wait in the same dispatcher.
struct single_worker {
  runner_client runner(std::string const& name) {
    runner_client made("https://" + service.address(1), fleet.text("caFile"), secret);
    REQUIRE(made.enroll(name).status == 200);
    return made;
  }
  void trigger(int count) {
    for (int i = 0; i < count; ++i) REQUIRE(user.post(trigger_path(job)).status == 202);
  }
  std::string value(std::string const& sql) { return fleet.sql(sql)[0][0]; }

  class fleet& fleet = shared_fleet();
  tenant tenant = fleet.make_tenant();
  configured_service service{fleet.dev(), "workers = 1\n" + both_kinds};
  api_client user{"https://" + service.address(0), fleet.text("caFile"), tenant.token};
  std::string job = make_job(user);
  std::string secret =
      text_of(fleet.admin({"create-runner", "--project", tenant.project, "--name", "crowd"}), "/key");
  std::string project_filter = "project_id = (SELECT project_id FROM jobs WHERE id = '" + job + "')";
};

/// While this object lives, claims skip the queued runs. Its end announces nothing.
class hidden_runs {
 public:
  hidden_runs(single_worker& place, int count) : place_(place) {
    REQUIRE(comes_true([&] { return visible() == 0; }, 5s));
    CHECK(place.value("SELECT count(*) FROM run_queue WHERE " + place.project_filter) == std::to_string(count));
  }
  ~hidden_runs() {
    place_.fleet.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%hidden runs%'"
        " AND pid <> pg_backend_pid()");
    holder_.wait();
  }
  hidden_runs(hidden_runs const&) = delete;
  hidden_runs& operator=(hidden_runs const&) = delete;

 private:
  int visible() {
    auto const found =
        place_.fleet.sql("SELECT run_id FROM run_queue WHERE " + place_.project_filter + " FOR UPDATE SKIP LOCKED");
    return static_cast<int>(found.size());
  }

  single_worker& place_;
  std::future<void> holder_ = std::async(std::launch::async, [this] {
    try {
      place_.fleet.sql("BEGIN; SELECT 'hidden runs' FROM run_queue WHERE " + place_.project_filter +
                       " FOR UPDATE; SELECT pg_sleep(30)");
    } catch (std::runtime_error const&) {
      return;  // The destructor ends the session.
    }
  });
};

TEST_CASE("a claim that leaves runs in the queue wakes the next claim, which does not wait for a poll") {
  constexpr int crowd = 8;
  single_worker place;
  std::list<runner_client> runners;
  for (int i = 0; i < crowd; ++i) runners.push_back(place.runner("waits " + std::to_string(i)));
  auto const token_filter = "token_id = (SELECT token_id FROM runners WHERE id = '" + runners.front().id() + "')";
  place.fleet.sql("UPDATE runners SET last_seen_at = now() - interval '1 hour' WHERE " + token_filter);
  place.trigger(crowd);
  std::list<std::future<answer>> claims;
  {
    hidden_runs const hidden(place, crowd);
    for (auto& runner : runners)
      claims.push_back(std::async(std::launch::async, [&runner] { return runner.claim(25); }));
    // Each claim has looked at the queue and waits.
    REQUIRE(comes_true(
        [&] {
          return place.value("SELECT count(*) FROM runners WHERE last_seen_at < now() - interval '1 minute' AND " +
                             token_filter) == "0";
        },
        10s));
  }
  for (auto& claim : claims) CHECK(claims_of(claim.get()).size() == 1);
  // Each second a poll wakes only one of these claims. So without the news seven seconds lie between the first and
  // the last one.
  CHECK(place.value("SELECT max(started_at) - min(started_at) < interval '3 s' FROM run_queue WHERE " +
                    place.project_filter) == "t");
}

TEST_CASE("after a claim that found several runs, but not all that it asked for, the next one waits 40 ms") {
  single_worker place;
  auto runner = place.runner("busy");
  // A pause of the machine may hide a missing wait, but not in each round.
  for (int round = 0; round < 8; ++round) {
    place.trigger(5);
    auto const start = std::chrono::steady_clock::now();
    CHECK(claims_of(runner.claim(0, 10)).size() == 5);
    CHECK(claims_of(runner.claim(0, 10)).empty());
    CHECK(std::chrono::steady_clock::now() - start >= 40ms);
  }
}

}  // namespace
}  // namespace svc::test
