// Runners and instances are killed at random while they process a queue; checked by the database's history and the
// runners' records together (campaign_check.hpp), and the alerts of the runs (campaign_alerts.hpp).
#include "campaign_fixture.hpp"

#include "integration/egress/http_server.hpp"

#include <doctest/doctest.h>

#include <random>

namespace svc::test {
namespace {

using std::chrono::seconds;

constexpr int short_form = 400;
constexpr seconds drained_within{180};

TEST_CASE("runners and instances killed at random: each run ends once, none is lost, no stale result counts") {
  campaign_plan plan;
  plan.runs = long_form("TEST_CAMPAIGN", short_form);
  plan.instances = long_form("TEST_INSTANCES", 2);
  plan.chaos = seconds(plan.runs > short_form ? 120 : 6);
  plan.seed = static_cast<unsigned>(long_form("TEST_CAMPAIGN_SEED", static_cast<int>(std::random_device()() >> 1U)));
  MESSAGE("seed " << plan.seed);
  http_server const receiver([](http_connection& connection) {
    while (!connection.request().empty()) connection.send(answer_of(204));
  });
  plan.webhook = receiver.url("/hook");
  campaign_fixture fixture(plan);
  REQUIRE(fixture.fill_queue() == static_cast<std::size_t>(plan.runs));
  fixture.open_doors();
  fixture.kill_at_random();
  CHECK(fixture.drain(drained_within));
  auto const facts = fixture.facts();
  CHECK(facts.rows.size() == static_cast<std::size_t>(plan.runs));
  auto const verdict = evaluate(facts);
  CHECK_MESSAGE(verdict.broken.empty(), verdict.text());
  for (auto const& [content, runs] : verdict.broken) MESSAGE(content << ": " << story_of(facts, *runs.begin()));
  auto const alerts = evaluate(fixture.reported());
  CHECK_MESSAGE(alerts.broken.empty(), alerts.text());
  // Otherwise the test has shown nothing.
  for (auto const* type : {"job_failed", "job_timeout", "job_success", "job_recovered"})
    CHECK(alerts.reported.contains(type));
  CHECK(verdict.stale_refused > 0);
  CHECK(verdict.claims_lost > 0);
  auto const& fault_counts = fixture.counted();
  CHECK(fault_counts.runners_killed > 0);
  CHECK(fault_counts.instances_killed > 0);
  MESSAGE(plan.runs << " runs; runners: " << fault_counts.runners_killed << " killed, " << fault_counts.runners_ended
                    << " ended, " << fault_counts.runners_stopped
                    << " stopped; instances: " << fault_counts.instances_killed << " killed, "
                    << fault_counts.instances_ended << " ended, " << fault_counts.instances_stopped << " stopped; "
                    << verdict.text() << "; alerts: " << alerts.text());
}

}  // namespace
}  // namespace svc::test
