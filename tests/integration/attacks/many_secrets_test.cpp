// Tests the effect of one project's secrets on a runner that others share.
#include "attack.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <memory>

namespace svc::test {
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
