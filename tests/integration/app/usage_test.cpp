// Tests the answers of svcd and svc-runner to mistakes on their command lines, and their help.
#include "support/service.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace svc::test {
namespace {

struct program_answer {
  int code;
  std::string out, err;
};

program_answer answer_to(std::string const& program, std::vector<std::string> const& words) {
  auto const path = (std::filesystem::path(service_binary()).parent_path() / program).string();
  service service(words, {}, path);
  auto const code = service.wait();
  return {code, service.out().text(), service.err().text()};
}

}  // namespace

TEST_CASE("svcd and svc-runner name a mistyped option or command, the nearest right one and where help is") {
  struct {
    char const* program;
    std::vector<std::string> words;
    char const* expected;
  } const cases[] = {
      {"svcd",
       {"serve", "--confg", "x"},
       "svcd: svcd serve has no option '--confg'. Did you mean --config?\n"
       "      svcd serve --help shows what this command takes.\n"},
      {"svcd",
       {"admin", "create-usr"},
       "svcd: svcd admin has no command 'create-usr'. Did you mean create-user?\n"
       "      svcd admin --help lists its commands.\n"},
      {"svcd",
       {"admin", "lst-users", "--config", "x"},
       "svcd: svcd admin has no command 'lst-users'. Did you mean list-users?\n"
       "      svcd admin --help lists its commands.\n"},
      {"svcd",
       {"--config", "x", "migrate"},
       "svcd: --config belongs after the command: svcd migrate --config ...\n"
       "      svcd migrate --help shows what this command takes.\n"},
      {"svcd",
       {"admin", "--json", "list-users"},
       "svcd: --json belongs after the command: svcd admin list-users --json ...\n"
       "      svcd admin list-users --help shows what this command takes.\n"},
      {"svcd", {"admin", "--config", "/no/such.toml", "list-users"}, "svcd: /no/such.toml: does not exist\n"},
      {"svcd",
       {"admin", "create-user", "--name", "Ada"},
       "svcd: svcd admin create-user needs --email.\n"
       "      svcd admin create-user --help shows what this command takes.\n"},
      {"svcd",
       {"migrate", "--wait", "soon"},
       "svcd: --wait must be from 0s to 1d (s, m, h, d), not 'soon'.\n"
       "      svcd migrate --help shows what this command takes.\n"},
      {"svcd",
       {"admin", "create-token", "--project", "a/b", "--owner", "x", "--name", "n", "--expires-in", "50y"},
       "svcd: --expires-in must be from 1m to 3650d (s, m, h, d), not '50y'.\n"
       "      svcd admin create-token --help shows what this command takes.\n"},
      {"svcd",
       {"admin", "create-runner", "--name", "r"},
       "svcd: svcd admin create-runner needs --organization or --project.\n"
       "      svcd admin create-runner --help shows what this command takes.\n"},
      {"svcd",
       {"admin", "list-members"},
       "svcd: svcd admin list-members needs --organization or --project.\n"
       "      svcd admin list-members --help shows what this command takes.\n"},
      {"svcd",
       {"admin", "revoke-runner"},
       "svcd: svcd admin revoke-runner needs ID.\n"
       "      svcd admin revoke-runner --help shows what this command takes.\n"},
      {"svcd",
       {"admin", "end-runs", "--reason", "x", "--before", "yesterday"},
       "svcd: --before must be a date or a time, 2027-01-01 or 2027-01-01T12:00:00Z, not 'yesterday'.\n"
       "      svcd admin end-runs --help shows what this command takes.\n"},
      {"svc-runner",
       {"--connect"},
       "svc-runner: --connect needs --check-config, too.\n            svc-runner --help shows what it takes.\n"},
      {"svcd",
       {"help", "migrat"},
       "svcd: svcd has no command 'migrat'. Did you mean migrate?\n      svcd --help lists its commands.\n"},
      {"svc-runner",
       {"--confg", "x"},
       "svc-runner: svc-runner has no option '--confg'. Did you mean --config?\n"
       "            svc-runner --help shows what it takes.\n"},
      {"svc-runner",
       {"--config"},
       "svc-runner: --config needs a value, FILE.\n            svc-runner --help shows what it takes.\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.expected);
    auto const got = answer_to(c.program, c.words);
    CHECK(got.code == 2);
    CHECK(got.out.empty());
    CHECK(got.err == c.expected);
  }
}

TEST_CASE("help of svcd and svc-runner has no words of the library that parses the line") {
  struct {
    char const* program;
    std::vector<std::string> words;
    char const* expected;
  } const cases[] = {
      {"svcd", {"help"}, "Usage: svcd [OPTIONS] COMMAND\n"},
      {"svcd", {"help", "migrate"}, "--wait TIME (0s to 1d) (default 1m)"},
      {"svcd", {"help", "serve"}, "--listen ADDR:PORT "},
      {"svcd", {"help", "dev"}, "--print TEXT (text, lines, json) (default text)"},
      {"svcd", {"help", "admin"}, "Usage: svcd admin [OPTIONS] COMMAND\n"},
      {"svcd", {"help", "admin", "create-trigger-key"}, "svcd admin create-trigger-key"},
      {"svcd", {"help", "admin", "add-member"}, "scope of the role; give exactly one"},
      {"svcd",
       {"help", "admin", "list-members"},
       "Usage: svcd admin list-members (--organization ORG | --project PROJECT) [OPTIONS]\n"},
      {"svcd",
       {"help", "admin", "create-user"},
       "Usage: svcd admin create-user --email TEXT --name TEXT [OPTIONS]\n"},
      {"svc-runner", {"help"}, "Usage: svc-runner [OPTIONS]"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.words);
    auto const got = answer_to(c.program, c.words);
    CHECK(got.code == 0);
    CHECK(got.out.find(c.expected) != std::string::npos);
    for (auto const* const word :
         {"{false}", "INT in", "REQUIRED", "Excludes:", "Needs:", "Option Group", "SUBCOMMAND", "Subcommands"}) {
      CAPTURE(word);
      CHECK(got.out.find(word) == std::string::npos);
    }
  }
}

}  // namespace svc::test
