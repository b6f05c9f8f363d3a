// Thousands of runs of one project in the queue of shared runners.
// Tests the effect of one project on the queue of runners that others share.
#include "attack.hpp"
#include "integration/system/jobs.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr int waiting = 5000, flooders = 4;

class flooder final : public attacker {
 public:
  flooder(attack_fixture& fixture, std::string job)
      : attacker("trigger flood"), client_(fixture.client(fixture.neighbour())), job_(std::move(job)) {}

 private:
  void act() override {
    try {
      if (auto const got = client_.post(trigger_path(job_)); got.status != 202) note_refused(got);
    } catch (...) {
      client_.http().close();
      throw;
    }
  }

  api_client client_;
  std::string const job_;
};

}  // namespace

/// The first thousands are inserted at once; a quota may refuse later ones.
attackers trigger_flood(attack_fixture& fixture) {
  auto client = fixture.client(fixture.neighbour());
  auto const job = make_job(client);
  client.post(trigger_path(job));
  fixture.stores().sql(
      "INSERT INTO runs (id, project_id, job_id, job_name, job_type, trigger, triggered_by, test_count,"
      " timeout_seconds, tests, queued_at) SELECT id_at(clock_timestamp(), gen_random_uuid()), project_id, job_id,"
      " job_name, job_type, trigger, triggered_by, test_count, timeout_seconds, tests, queued_at - interval '1 hour'"
      " FROM runs, generate_series(1, " +
      std::to_string(waiting) + ") WHERE job_id = '" + job + "'");
  attackers out;
  for (int i = 0; i < flooders; ++i) out.push_back(std::make_unique<flooder>(fixture, job));
  return out;
}

namespace {

TEST_CASE("attack by a flood of triggers: it delays the runs of others that share its runners by one run per slot") {
  attack_fixture fixture({"SVC_LIMITS_CLI_LIMIT=1000000", "SVC_LIMITS_TRIGGER_DEFAULT_LIMIT=1000000",
                          "SVC_LIMITS_PROJECT_LIMIT=1000000"});
  bystander beside(fixture, std::chrono::milliseconds(300));
  auto const all = trigger_flood(fixture);
  // One run of the flood takes 300 ms; waiting for thousands of them on two slots would take minutes.
  attack_budget const within{.run = std::chrono::milliseconds(3000)};
  auto const got = attack(fixture, beside, all, attack_time(), within);
  print(got, all);
  evaluate(got, within);
}

}  // namespace
}  // namespace svc::test
