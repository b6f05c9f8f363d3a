#include "svc-runner/settings.hpp"

#include "support/generated_part.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace svc;
using namespace svc::runner;

namespace {

constexpr char const* token = "svc_runner_0123456789abcdefghijABCDEFGHIJ012abcdef";

loaded_settings load(std::string const& text, std::vector<std::string> environment = {}) {
  test::temporary_directory const directory;
  return load_settings({.file = directory.write("runner.toml", text),
                        .environment = std::move(environment),
                        .home = "/home/somebody",
                        .root = false});
}

std::string const good = "url = 'https://a'\ntoken = '" + std::string(token) + "'\n";

}  // namespace

TEST_CASE("a configuration is read from a file and from variables, which take precedence") {
  auto const got =
      load(good +
               "labels = ['command']\nconcurrency = 3\ngrace = '5s'\n[limits]\nmemory_mb = 64\ndisk_mb = 0\n"
               "[sandbox]\nmode = 'none'\nread_only = ['/opt']\n",
           {"SVC_RUNNER_CONCURRENCY=4", "SVC_RUNNER_LIMITS_TIMEOUT=1m", "SVC_FAILPOINTS=x", "HOME=/"});
  CHECK(got.problems.empty());
  CHECK(got.values.concurrency == 4);
  CHECK(got.values.grace == milliseconds(5000));
  CHECK(got.values.limits.memory_mb == 64);
  CHECK(got.values.limits.disk_mb == 0);
  CHECK(got.values.limits.timeout == milliseconds(60'000));
  CHECK(got.values.mode() == sandbox_mode::none);
  CHECK(got.values.read_only == std::vector<std::string>{"/opt"});
  CHECK(got.values.work_dir == "/home/somebody/.local/share/svc-runner");
  CHECK(!got.values.name.empty());
}

TEST_CASE("the page of keys matches the table of the runner") {
  settings const defaults;
  test::check_generated_part(SVC_CONFIGURATION_PAGE, "svc-runner", settings_page(runner_settings(), &defaults));
}

TEST_CASE("each problem names its key, and none shows a secret") {
  struct {
    std::string text;
    std::vector<std::string> environment;
    char const* problem;
  } const cases[] = {
      {good + "concurrency = 0\n", {}, "concurrency: must be an integer from 1 to 1000"},
      {good + "concurrency = '2'\n", {}, "concurrency: must be an integer"},
      {good + "grace = 5\n", {}, "grace: must be a duration"},
      {good + "allow_network = 'yes'\n", {}, "allow_network: must be true or false"},
      {good + "what = 1\n", {}, "what: no such key"},
      {good, {"SVC_RUNNER_WHAT=1"}, "SVC_RUNNER_WHAT: no such key"},
      {good, {"SVC_RUNNER_CONCURRENCY=many"}, "SVC_RUNNER_CONCURRENCY: must be"},
      {good + "labels = ['cobol']\n", {}, "labels: no such job type: cobol; there are command, playwright, k6"},
      {good + "labels = ['comand']\n", {}, "labels: no such job type: comand; did you mean command?"},
      {good + "[sandbox]\nmode = 'maybe'\n", {}, "sandbox.mode: must be"},
      {good + "work_dir = 'here'\n", {}, "work_dir: must be an absolute path"},
      {good + "ca_file = '/nowhere'\n", {}, "ca_file: /nowhere does not exist"},
      {good + "token_file = '/nowhere'\n", {}, "token_file: set either this or token"},
      {"url = 'https://a'\n", {}, "token_file: must be set"},
      {"url = 'https://a'\ntoken_file = '/nowhere'\n", {}, "token_file: /nowhere does not exist"},
      {"url = 'https://a'\ntoken = 'svc_cli_SECRET'\n", {}, "token: must be a runner token"},
      {"url = 'http://far'\ntoken = '" + std::string(token) + "'\n", {}, "url: must be https://"},
      {"url = = 1\n", {}, "runner.toml:1: "},
  };
  for (auto const& c : cases) {
    CAPTURE(c.problem);
    auto const got = load(c.text, c.environment);
    REQUIRE(!got.problems.empty());
    CHECK(got.problems.front().find(c.problem) != std::string::npos);
    for (auto const& each : got.problems) CHECK(each.find("SECRET") == std::string::npos);
  }
}

TEST_CASE("a problem of the runner's file has its line once, and hides what only follows from it") {
  auto const lines = [](std::string const& text) {
    auto out = load(text).problems;
    for (auto& each : out) each = each.substr(each.find("runner.toml"));
    return out;
  };
  using expected = std::vector<std::string>;
  CHECK(lines("url = = 1\n").size() == 1);
  CHECK(lines("url = 1\n" + good.substr(good.find("token"))) ==
        expected{"runner.toml:1: url: must be text; for example: url = \"...\""});
  CHECK(lines("url = 'https://a'\ntoken_fil = '/t'\n") ==
        expected{"runner.toml:2: token_fil: no such key; did you mean token_file? (svc-runner --help lists them)"});
  CHECK(lines("url = 'https://a'\n") ==
        expected{"runner.toml: token_file: must be set, or token (svcd admin create-runner)"});
}

TEST_CASE("a token's file must not be readable by others") {
  test::temporary_directory const directory;
  auto const file = directory.write("token", std::string(token) + "\n");
  auto const text = "url = 'https://a'\ntoken_file = '" + file + "'\n";
  using std::filesystem::perms;
  std::filesystem::permissions(file, perms::owner_read);
  CHECK(load(text).problems.empty());
  CHECK(load(text).values.token.reveal() == token);
  std::filesystem::permissions(file, perms::owner_read | perms::others_read);
  REQUIRE(load(text).problems.size() == 1);
  CHECK(load(text).problems.front().find("runner.toml:2: token_file: others may read it") != std::string::npos);
}
