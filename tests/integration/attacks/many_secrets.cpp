// A project with as many large secrets as it may have; its runs go to a runner that others share.
#include "attacker.hpp"
#include "integration/system/jobs.hpp"

#include <stdexcept>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

constexpr int wanted = 1700;

class secret_hoarder final : public attacker {
 public:
  explicit secret_hoarder(attack_fixture& fixture)
      : attacker("many large secrets"), client_(fixture.client(fixture.neighbour())), job_(make_job(client_)) {}

 private:
  /// Adds another secret; sometimes triggers a run that gets all of them.
  void act() override {
    try {
      if (made_ < wanted && !full_) add();
      if (++turns_ % 50 == 0 || full_) trigger();
    } catch (...) {
      client_.http().close();
      throw;
    }
  }
  void add() {
    auto const name = "S" + std::to_string(made_++);
    std::string value = name;
    while (value.size() < 10'000) value += std::to_string(value.size() * 2'654'435'761U);
    auto const got = client_.post("/api/variables", R"({"key":")" + name + R"(","value":")" +
                                                        value.substr(0, 10'000) + R"(","isSecret":true})");
    if (got.status == 201) return;
    note_refused(got);
    full_ = got.status == 409;
  }
  void trigger() {
    if (auto const got = client_.post(trigger_path(job_)); got.status != 202) note_refused(got);
    pause(milliseconds(100));
  }

  api_client client_;
  std::string const job_;
  int made_ = 0, turns_ = 0;
  bool full_ = false;  ///< according to a quota
};

}  // namespace

attackers many_secrets(attack_fixture& fixture) {
  attackers out;
  out.push_back(std::make_unique<secret_hoarder>(fixture));
  return out;
}

}  // namespace svc::test
