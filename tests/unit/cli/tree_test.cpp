#include "cli/commands/context.hpp"
#include "cli/manual/command_tree.hpp"
#include "cli/program.hpp"

#include <CLI/CLI.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace svc::cli;

namespace {

/// The whole tree with the context that its callbacks need.
struct built_tree {
  context cx;
  CLI::App root{"", "svc"};
  built_tree() { build_tree(root, cx); }
};

void each_command(described_command const& command, auto const& visit) {
  visit(command);
  for (auto const& below : command.commands) each_command(below, visit);
}

std::vector<std::string> words_of(std::string const& path) {
  std::vector<std::string> out;
  for (std::size_t position = path.find(' '); position != std::string::npos;) {
    auto const next = path.find(' ', position + 1);
    out.push_back(path.substr(position + 1, next == std::string::npos ? next : next - position - 1));
    position = next;
  }
  return out;
}

void demand_nothing(CLI::App& app) {
  for (auto* const option : app.get_options(std::function<bool(CLI::Option*)>())) option->required(false);
  for (auto* const below : app.get_subcommands([](CLI::App*) { return true; })) demand_nothing(*below);
}

bool is_plain(std::string const& text) {
  return std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
}

}  // namespace

TEST_CASE("every command has a description, every option a help text, and all of it is plain ASCII") {
  built_tree tree;
  each_command(described(tree.root), [](described_command const& command) {
    CAPTURE(command.path);
    CHECK_FALSE(command.summary.empty());
    CHECK(is_plain(command.summary + command.footer));
    for (auto const& option : command.options) {
      CAPTURE((option.names.empty() ? option.value_name : option.names.back()));
      CHECK_FALSE(option.help.empty());
      CHECK(is_plain(option.help));
    }
  });
}

TEST_CASE("a creation whose name may be taken can be told to allow that") {
  built_tree tree;
  auto const root = described(tree.root);
  std::set<std::string> creations;
  for (auto const* const leaf : leaves_of(root))
    for (auto const& option : leaf->options)
      if (std::ranges::find(option.names, "--allow-duplicate") != option.names.end()) creations.insert(leaf->path);
  CHECK(creations == std::set<std::string>{"svc incident create", "svc job create", "svc monitor create",
                                           "svc page component create", "svc provider create", "svc test create",
                                           "svc window create"});
}

TEST_CASE("every command that does something has an example in its footer") {
  built_tree tree;
  auto const root = described(tree.root);
  for (auto const* const leaf : leaves_of(root)) {
    CAPTURE(leaf->path);
    CHECK(leaf->footer.find("  " + leaf->path) != std::string::npos);
  }
}

TEST_CASE("no two sibling commands, and no two options that one line may hold, share a name") {
  built_tree tree;
  auto const root = described(tree.root);
  std::set<std::string> of_all;
  for (auto const& option : root.options) of_all.insert(option.names.begin(), option.names.end());
  each_command(root, [&](described_command const& command) {
    CAPTURE(command.path);
    std::set<std::string> commands;
    for (auto const& below : command.commands) CHECK(commands.insert(below.name()).second);
    auto names = command.path == "svc" ? std::set<std::string>() : of_all;
    for (auto const& option : command.options)
      for (auto const& name : option.names) {
        CAPTURE(name);
        CHECK(names.insert(name).second);
      }
  });
}

TEST_CASE("every command without subcommands sets its action") {
  built_tree for_names;
  auto const root = described(for_names.root);
  for (auto const* const leaf : leaves_of(root)) {
    CAPTURE(leaf->path);
    built_tree tree;
    demand_nothing(tree.root);
    auto words = words_of(leaf->path);
    std::ranges::reverse(words);  // as CLI11 takes them
    CHECK_NOTHROW(tree.root.parse(words));
    CHECK(tree.cx.action);
  }
}

TEST_CASE("a member that never changes has an option only for creation, and a stream starts after an event") {
  built_tree tree;
  struct {
    char const *path, *option;
    bool expected;
  } const cases[] = {
      {"svc job create", "--type", true},        {"svc job update", "--type", false},
      {"svc monitor create", "--type", true},    {"svc monitor update", "--type", false},
      {"svc job update", "--description", true}, {"svc run stream", "--after", true},
      {"svc run stream", "--raw", true},
  };
  std::map<std::string, std::set<std::string>> options;
  each_command(described(tree.root), [&](described_command const& command) {
    for (auto const& option : command.options) options[command.path].insert(option.names.begin(), option.names.end());
  });
  for (auto const& each : cases) {
    CAPTURE(each.path);
    CAPTURE(each.option);
    REQUIRE(options.contains(each.path));
    CHECK(options[each.path].contains(each.option) == each.expected);
  }
}

TEST_CASE("commands that users do not need are hidden from help, pages and completions") {
  built_tree tree;
  auto const root = described(tree.root);
  CHECK(std::ranges::none_of(root.commands, [](auto const& command) { return command.name() == "manual"; }));
  CHECK(tree.root.get_subcommand("manual") != nullptr);
  CHECK(tree.root.help().find("manual") == std::string::npos);
}

TEST_CASE("help shows the value of an option, nothing of the parser, and the program's own page only once") {
  built_tree tree;
  auto const trigger = tree.root.get_subcommand("job")->get_subcommand("trigger")->help();
  CHECK(trigger.find("JOB  ") != std::string::npos);
  CHECK(trigger.find("svc --help") != std::string::npos);
  auto const program = tree.root.help();
  CHECK(program.find("--color WHEN (auto, always, never)") != std::string::npos);
  CHECK(program.find("Exit codes:") != std::string::npos);
  for (auto const& text : {trigger, program})
    for (auto const* const word : {"TEXT REQUIRED", "Excludes", "FLOAT"}) {
      CAPTURE(word);
      CHECK(text.find(word) == std::string::npos);
    }
  CHECK(tree.root.get_subcommand("job")->help().find("Exit codes:") == std::string::npos);
}
