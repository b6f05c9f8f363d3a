#include "app/admin/admin.hpp"

#include <CLI/CLI.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace svc::app;

namespace {

/// Returns the words of a line, as a shell splits it. Quotes have no escapes.
std::vector<std::string> words_of(std::string const& line) {
  std::vector<std::string> out;
  char quote = ' ';
  bool in_word = false;
  for (char const c : line) {
    if (quote == ' ' && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) out.emplace_back();
    in_word = true;
    if (c == quote)
      quote = ' ';
    else if (quote == ' ' && (c == '"' || c == '\''))
      quote = c;
    else
      out.back() += c;
  }
  return out;
}

/// The program with the commands of `svcd admin`, which are parsed and never run.
struct parsed_program {
  parsed_program() {
    admin::add_commands(root, chosen, [](std::string const&) { return std::optional<configuration>(); });
  }

  /// Returns the problem of a line, empty if the program takes it.
  std::string problem_of(std::string const& line) {
    auto words = words_of(line);
    std::erase(words, "svcd");
    std::ranges::reverse(words);  // as CLI11 takes them
    try {
      root.parse(words);
    } catch (CLI::ParseError const& e) {
      return e.what();
    }
    return chosen ? "" : "no command was chosen";
  }

  std::function<int()> chosen;
  CLI::App root{"", "svcd"};
};

std::vector<std::string> examples() {
  parsed_program program;
  std::vector<std::string> out;
  for (auto const* const command : program.root.get_subcommand("admin")->get_subcommands({})) {
    std::istringstream footer(command->get_footer());
    for (std::string line; std::getline(footer, line);)
      if (line.starts_with("  svcd admin ")) out.push_back(line);
  }
  return out;
}

}  // namespace

TEST_CASE("svcd admin takes the example of each of its commands") {
  auto const lines = examples();
  CHECK(lines.size() >= 20);
  for (auto const& line : lines) {
    CAPTURE(line);
    CHECK(parsed_program().problem_of(line).empty());
  }
}

TEST_CASE("svcd admin refuses a line without the required options, and numbers outside of their range") {
  std::string const create = "admin create-trigger-key --job J --owner ada@example.org --name n";
  struct {
    std::string line;
    bool taken;
  } const cases[] = {
      {create, true},
      {"admin create-trigger-key --job J --name n", false},
      {"admin create-trigger-key --owner ada@example.org --name n", false},
      {"admin create-trigger-key --job J --owner ada@example.org", false},
      {create + " --limit 1", true},
      {create + " --limit 0", false},
      {create + " --limit 100000", true},
      {create + " --limit 100001", false},
      {create + " --window 60", false},
      {create + " --limit 20 --window 1", true},
      {create + " --limit 20 --window 0", false},
      {create + " --limit 20 --window 86400", true},
      {create + " --limit 20 --window 86401", false},
      {"admin", false},
      {"admin revoke-token", false},
  };
  for (auto const& each : cases) {
    CAPTURE(each.line);
    CHECK(parsed_program().problem_of(each.line).empty() == each.taken);
  }
}
