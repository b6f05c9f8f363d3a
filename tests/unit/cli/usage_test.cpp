// The answers to mistakes on the command line.
#include "cli/commands/context.hpp"
#include "cli/manual/command_tree.hpp"
#include "cli/program.hpp"
#include "svc/core/command_line.hpp"

#include <CLI/CLI.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

namespace svc::cli {
namespace {

usage_problem problem_of(std::vector<std::string> words) {
  context cx;
  CLI::App root("", "svc");
  build_tree(root, cx);
  std::ranges::reverse(words);  // in the order that CLI11 takes them
  try {
    root.parse(words);
  } catch (CLI::ParseError const& e) {
    return explain_usage(root, e);
  }
  return {};
}

}  // namespace

TEST_CASE("a mistake on the command line is named with the nearest right word and the help of the command at hand") {
  struct {
    std::vector<std::string> words;
    char const* sentence;
    char const* hint;
  } const cases[] = {
      {{"job", "list", "--sarch", "nightly"},
       "svc job list has no option '--sarch'. Did you mean --search?",
       "svc job list --help shows what this command takes."},
      {{"job", "list", "--sarch=nightly"},
       "svc job list has no option '--sarch'. Did you mean --search?",
       "svc job list --help shows what this command takes."},
      {{"job", "list", "--jsn"},
       "svc job list has no option '--jsn'. Did you mean --json?",
       "svc job list --help shows what this command takes."},
      {{"job", "get", "--nothing-like-it"},
       "svc job get has no option '--nothing-like-it'.",
       "svc job get --help shows what this command takes."},
      {{"job", "lst"}, "svc job has no command 'lst'. Did you mean list?", "svc job --help lists its commands."},
      {{"jbo", "list"}, "svc has no command 'jbo'. Did you mean job?", "svc --help lists its commands."},
      {{"qqqqqq"}, "svc has no command 'qqqqqq'.", "svc --help lists its commands."},
      {{"outage"}, "svc outage needs a command: list, open or ack.", "svc outage --help lists them."},
      {{"job", "get"}, "svc job get needs JOB.", "svc job get --help shows what this command takes."},
      {{"token", "rename"},
       "svc token rename needs TOKEN and NAME.",
       "svc token rename --help shows what this command takes."},
      {{"job", "list", "nightly"},
       "svc job list does not expect 'nightly': it takes options only.",
       "svc job list --help shows what this command takes."},
      {{"job", "get", "nightly", "again"},
       "svc job get does not expect 'again': it takes no further argument.",
       "svc job get --help shows what this command takes."},
      {{"test", "tags", "smoke", "nightly"},
       "svc test tags does not expect 'nightly': it takes no further argument. Did you mean --tag nightly?",
       "svc test tags --help shows what this command takes."},
      {{"test", "list", "--tag", "nightly"}, "", ""},
      {{"job", "update", "nightly", "--enable", "--disable"},
       "--enable and --disable exclude each other.",
       "svc job update --help shows what this command takes."},
      {{"run", "list", "--trigger", "manual,schedule"},
       "--trigger must be remote, manual or schedule, not 'manual,schedule'. Give only one word.",
       "svc run list --help shows what this command takes."},
      {{"test", "update", "smoke", "--tag", "nightly"},
       "svc test update has no option '--tag'. svc test list, svc test create and svc test tags have it.",
       "svc test update --help shows what this command takes."},
      {{"monitor", "list", "--type", "http"},
       "--type must be http_request, website, ping_host, port_check, dns or heartbeat, not 'http'. Did you mean "
       "http_request?",
       "svc monitor list --help shows what this command takes."},
      {{"monitor", "list", "--deleted"}, "", ""},
      {{"outage", "list", "--open", "shop"}, "", ""},
      {{"job", "list", "--limit", "500"},
       "--limit must be a whole number from 1 to 100, not '500'.",
       "svc job list --help shows what this command takes."},
      {{"job", "list", "--limit", "many"},
       "--limit must be a whole number from 1 to 100, not 'many'.",
       "svc job list --help shows what this command takes."},
      {{"job", "list", "--limit"}, "--limit needs a value, N.", "svc job list --help shows what this command takes."},
      {{"job", "list", "--limit", "1", "--limit", "2"},
       "--limit may be given only once.",
       "svc job list --help shows what this command takes."},
      {{"job", "list", "--timeout", "30m"}, "", ""},
      {{"job", "list", "--timeout", "1.5"}, "", ""},
      {{"job", "list", "--timeout", "soon"},
       "--timeout must be from 1 ms to 7 days, as 90 (seconds), 0.5, 30m or 2h, not 'soon'.",
       "svc job list --help shows what this command takes."},
      {{"job", "list", "--timeout", "2w"},
       "--timeout must be from 1 ms to 7 days, as 90 (seconds), 0.5, 30m or 2h, not '2w'.",
       "svc job list --help shows what this command takes."},
      {{"job", "list", "--color", "allways"},
       "--color must be auto, always or never, not 'allways'. Did you mean always?",
       "svc job list --help shows what this command takes."},
      {{"job", "list", "--json", "--quiet"},
       "--json and --quiet exclude each other.",
       "svc job list --help shows what this command takes."},
      {{"job", "list", "--all", "--page", "2"},
       "--page and --all exclude each other.",
       "svc job list --help shows what this command takes."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.words);
    auto const reported = problem_of(c.words);
    CHECK(reported.sentence == c.sentence);
    CHECK(reported.hint == c.hint);
  }
}

TEST_CASE("every option of svc that checks its value names itself and the allowed values") {
  context cx;
  CLI::App root("", "svc");
  build_tree(root, cx);
  auto const tree = described(root);
  for (auto const* const leaf : leaves_of(tree))
    for (auto const& option : leaf->options) {
      if (option.choices.empty() || option.positional) continue;
      CAPTURE(leaf->path);
      CAPTURE(option.names.back());
      std::vector<std::string> words;
      std::istringstream path(leaf->path.substr(leaf->path.find(' ') + 1));
      for (std::string word; path >> word;) words.push_back(word);
      words.insert(words.end(), {option.names.back(), "qqqqqq"});
      // A value that may be missing must not be taken for an argument of the command.
      for (auto const& each : leaf->options)
        if (each.positional) words.emplace_back("x");
      auto const reported = problem_of(words);
      CHECK(reported.sentence.find(" must be " + option.choices.front()) != std::string::npos);
      CHECK(reported.sentence.find("not 'qqqqqq'.") != std::string::npos);
    }
}

TEST_CASE("help of any command is the one that its --help shows, and a mistyped one is named") {
  context cx;
  CLI::App root("", "svc");
  build_tree(root, cx);
  std::vector<std::string> const trigger{"job", "trigger"}, mistyped{"job", "triger"};
  auto const shown = help_of(root, trigger).text;
  CHECK(shown.find("Usage: svc job trigger [OPTIONS] JOB\n") != std::string::npos);
  CHECK(help_of(root, {}).text.find("Exit codes:") != std::string::npos);
  auto const none = help_of(root, mistyped);
  CHECK(none.text.empty());
  CHECK(none.problem.sentence == "svc job has no command 'triger'. Did you mean trigger?");
}

TEST_CASE("no help text of svc has words of the library that parses the line") {
  context cx;
  CLI::App root("", "svc");
  build_tree(root, cx);
  auto const tree = described(root);
  std::vector<described_command const*> all = leaves_of(tree);
  for (auto const* const each : all) {
    std::vector<std::string> words;
    std::istringstream path(each->path.substr(each->path.find(' ') + 1));
    for (std::string word; path >> word;) words.push_back(word);
    auto const text = help_of(root, words).text;
    CAPTURE(each->path);
    REQUIRE_FALSE(text.empty());
    for (auto const* const word :
         {"{false}", "INT in", "REQUIRED", "Excludes:", "Needs:", "Option Group", "SUBCOMMAND"}) {
      CAPTURE(word);
      CHECK(text.find(word) == std::string::npos);
    }
  }
}

}  // namespace svc::cli
