// A project with as many large secrets as it may have; its runs go to a runner that others share.
// Tests the effect of one project's secrets on a runner that others share.
#include "attack.hpp"
#include "integration/system/jobs.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <memory>
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

namespace {

/// svc-runner with the runner token of the honest tenant's organisation. Scripts run as separate users, who must be
/// able to reach their directories.
struct shared_runner {
  explicit shared_runner(attack_fixture& fixture) {
    directory.write("token", fixture.shared_runner_token());
    ::chmod((directory.path() + "/token").c_str(), 0600);
    ::chmod(directory.path().c_str(), 0711);
    auto const file =
        directory.write("runner.toml", "url = '" + fixture.runners_url() + "'\nca_file = '" + fixture.ca_file() +
                                           "'\ntoken_file = '" + directory.path() +
                                           "/token'\nlabels = ['command']\nconcurrency = 2\nwork_dir = '" +
                                           directory.path() + "/work'\n");
    auto const program = (std::filesystem::path(service_binary()).parent_path() / "svc-runner").string();
    process =
        std::make_unique<service>(std::vector<std::string>{"--config", file}, std::vector<std::string>{}, program);
    process->wait_error_line("\"registered\"");
  }

  temporary_directory directory;
  std::unique_ptr<service> process;
};

TEST_CASE("attack by a project of many large secrets: the runs of others on the same runner end as they should") {
  attack_fixture fixture({"SVC_LIMITS_CLI_LIMIT=1000000", "SVC_LIMITS_TRIGGER_DEFAULT_LIMIT=1000000",
                          "SVC_LIMITS_PROJECT_LIMIT=1000000"});
  shared_runner const runner(fixture);
  bystander beside(fixture, {}, false);
  auto const all = many_secrets(fixture);
  attack_budget const within{.memory = 128L * 1024 * 1024};
  auto const got = attack(fixture, beside, all, attack_time(), within);
  print(got, all);
  evaluate(got, within);
}

}  // namespace
}  // namespace svc::test
