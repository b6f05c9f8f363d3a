// Runs that print as much as is accepted, until Redis is full.
// Tests the effect of scripts that print a lot on the Redis that all tenants share.
#include "attack.hpp"
#include "integration/system/jobs.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr int printers = 2, lines = 60, batches = 4;

/// Triggers, claims, prints about 3 MB and ends runs, through the runner API of its own organisation.
class printer final : public attacker {
 public:
  printer(attack_fixture& fixture, std::string job, int number)
      : attacker("talkative runs"),
        user_(fixture.client(fixture.stranger())),
        client_(fixture.runners_url(), fixture.ca_file(), fixture.strangers_runner_token()),
        job_(std::move(job)),
        name_("talker" + std::to_string(number)) {}

 private:
  void act() override {
    try {
      if (!known_) known_ = client_.enroll(name_).status == 200;
      if (auto const got = user_.post(trigger_path(job_)); got.status != 202) note_refused(got);
      for (auto const& claim : claims_of(client_.claim(1))) print_much(claim);
    } catch (...) {
      client_.api().http().close();
      user_.http().close();
      throw;
    }
  }

  void print_much(boost::json::value const& claim) {
    int seq = 0;
    for (int i = 0; i < batches && !over(); ++i) {
      boost::json::array all;
      // No two lines are alike, so compression saves nothing.
      for (int line = 0; line < lines; ++line) {
        ++seq;
        all.push_back({{"seq", seq},
                       {"stream", "stdout"},
                       {"text", std::to_string(seq) + std::string(12'000, static_cast<char>('a' + seq % 26))}});
      }
      auto const got = client_.post("runs/" + text_of(claim, "/runId") + "/output",
                                    {{"claimId", claim.at("claimId")}, {"lines", std::move(all)}});
      if (got.status != 200) note_refused(got);
    }
    if (auto const got = client_.complete(claim, "passed", seq); got.status != 204) note_refused(got);
  }

  api_client user_;
  runner_client client_;
  std::string const job_, name_;
  bool known_ = false;
};

}  // namespace

attackers talkative_runs(attack_fixture& fixture) {
  auto client = fixture.client(fixture.stranger());
  auto const job = make_job(client);
  attackers out;
  for (int i = 0; i < printers; ++i) out.push_back(std::make_unique<printer>(fixture, job, i));
  return out;
}

namespace {

TEST_CASE("attack by runs that print as much as is accepted: the runs of others end, with their output") {
  attack_fixture fixture;
  // The limit is small enough for a test to reach in its time.
  fixture.stores().redis({"CONFIG", "SET", "maxmemory", "64mb"});
  bystander beside(fixture);
  auto const all = talkative_runs(fixture);
  attack_budget const within{.memory = 192L * 1024 * 1024};
  auto const got = attack(fixture, beside, all, attack_time(), within);
  print(got, all);
  evaluate(got, within);
}

}  // namespace
}  // namespace svc::test
