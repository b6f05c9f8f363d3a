// Thousands of runs of one project in the queue of shared runners.
#include "attacker.hpp"
#include "integration/system/jobs.hpp"

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

}  // namespace svc::test
