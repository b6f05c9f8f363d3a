// Instances, Redis, sessions of PostgreSQL and all of PostgreSQL are stopped and continued at random, while runners
// and instances are killed. Checked like the campaign of kills, and by how long requests took beyond the freezes.
#include "campaign_clients.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace svc::test {
namespace {

using std::chrono::seconds;

constexpr int short_freezes = 6, runs_each_second = 25;
constexpr seconds all_ended_within{180}, recovered_within{20};
/// Time limit for any request beyond the freezes that overlapped it.
constexpr seconds least_promise{5};

campaign_plan plan_of(int lasting, unsigned seed) {
  return {.runs = lasting * runs_each_second,
          .chaos = seconds(lasting),
          .least_pause = 400,
          .most_pause = 1600,
          .freezes = true,
          .seed = seed};
}

void check_triggers(campaign_clients const& clients) {
  int doubled = 0;
  for (auto const& [key, runs] : clients.triggered()) doubled += runs.size() == 1 ? 0 : 1;
  CHECK(doubled == 0);
  CHECK(clients.triggered().size() > 0);
  CHECK(clients.repeated() > 0);
  for (auto const& text : clients.strange()) CHECK_MESSAGE(false, text);
}

void check_tokens(campaign_clients const& clients) {
  auto const verdict = clients.check_tokens_used();
  CHECK(verdict.accepted_after == 0);
  CHECK(verdict.refused_before == 0);
  CHECK(verdict.fewest_after > 0);
  CHECK(verdict.before > 0);
  CHECK(clients.revoked() > 0);
  MESSAGE(clients.revoked() << " tokens revoked, uses: " << verdict.before << " before, " << verdict.during
                            << " during, at least " << verdict.fewest_after << " after each, " << verdict.others
                            << " without a verdict");
}

void check_waits(campaign_fixture& fixture) {
  auto const verdict = check_waits_of(fixture.freezes().all(), fixture.requests(), least_promise);
  CHECK_MESSAGE(verdict.late.empty(), verdict.text());
  CHECK_MESSAGE(verdict.strange.empty(), verdict.text());
  CHECK(verdict.overlapped > 0);
  MESSAGE(verdict.text());
}

/// Checks that each run has ended once, and that each key has one run.
void check_runs(campaign_fixture& fixture, campaign_clients const& clients, std::size_t filled) {
  std::set<std::string> late;
  for (auto const& [key, runs] : clients.triggered()) late.insert(runs.begin(), runs.end());
  fixture.acknowledge(late);
  auto const facts = fixture.facts();
  CHECK(facts.rows.size() == filled + clients.triggered().size());
  auto const verdict = evaluate(facts);
  CHECK_MESSAGE(verdict.broken.empty(), verdict.text());
  for (auto const& [content, runs] : verdict.broken) MESSAGE(content << ": " << story_of(facts, *runs.begin()));
  MESSAGE(facts.rows.size() << " runs, " << facts.streams_gone << " streams gone, " << facts.streams_without_end
                            << " without an end in Redis; " << verdict.text());
}

void print_counts(campaign_fixture const& fixture) {
  auto const& fault_counts = fixture.counted();
  auto const frozen = fixture.counted_freezes();
  MESSAGE("stopped: Redis " << frozen[freezer::redis] << " times, sessions " << frozen[freezer::session]
                            << ", instances " << frozen[freezer::instance] << ", PostgreSQL "
                            << frozen[freezer::postgres] << "; runners: " << fault_counts.runners_killed
                            << " killed, " << fault_counts.runners_ended << " ended, " << fault_counts.runners_stopped
                            << " stopped; instances: " << fault_counts.instances_killed << " killed, "
                            << fault_counts.instances_ended << " ended");
}

TEST_CASE("instances and stores stopped at random: all promises hold, and nothing waits 5 s longer than they do") {
  int const lasting = long_form("TEST_FREEZES", short_freezes);
  auto const seed =
      static_cast<unsigned>(long_form("TEST_CAMPAIGN_SEED", static_cast<int>(std::random_device()() >> 1U)));
  MESSAGE("seed " << seed);
  auto const plan = plan_of(lasting, seed);
  campaign_fixture fixture(plan);
  auto const filled = fixture.fill_queue();
  REQUIRE(filled == static_cast<std::size_t>(plan.runs));
  campaign_clients clients(fixture, seed, plan.chaos);
  fixture.open_doors();
  clients.start();
  fixture.kill_at_random();
  clients.finish();
  auto const wrong = recovered(fixture, recovered_within);
  CHECK(wrong == "");
  clients.try_once_more();
  CHECK(fixture.drain(all_ended_within));
  check_runs(fixture, clients, filled);
  check_triggers(clients);
  check_tokens(clients);
  check_waits(fixture);
  print_counts(fixture);
}

}  // namespace
}  // namespace svc::test
