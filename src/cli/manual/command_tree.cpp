#include "cli/manual/command_tree.hpp"

#include "svc/core/command_line.hpp"

#include <CLI/App.hpp>

namespace svc::cli {
namespace {

described_command described_below(CLI::App const& app, std::string const& parent) {
  described_command out{.path = parent.empty() ? app.get_name() : parent + " " + app.get_name(),
                        .summary = app.get_description(),
                        .footer = app.get_footer()};
  for (auto const* const option : app.get_options())
    if (!option->get_group().empty() && option != app.get_help_ptr()) out.options.push_back(described(*option));
  for (auto const* const command : app.get_subcommands([](CLI::App const*) { return true; }))
    if (!command->get_group().empty()) out.commands.push_back(described_below(*command, out.path));
  return out;
}

void collect_leaves(described_command const& command, std::vector<described_command const*>& out) {
  if (command.commands.empty()) out.push_back(&command);
  for (auto const& below : command.commands) collect_leaves(below, out);
}

}  // namespace

described_option described(CLI::Option const& option) {
  described_option out;
  for (auto const& name : option.get_snames()) out.names.push_back("-" + name);
  for (auto const& name : option.get_lnames()) out.names.push_back("--" + name);
  out.positional = option.get_positional();
  out.help = option.get_description();
  out.required = option.get_required();
  out.repeatable = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) {
    auto const kind = value_name_of(option);
    out.value_name = out.positional ? option.get_name(true) : kind;
    out.takes_file = kind == "FILE" || kind == "DIR" || kind == "PATH";
    out.choices = choices_of(option);
  }
  return out;
}

described_command described(CLI::App const& root) {
  auto out = described_below(root, "");
  out.options.push_back({.names = {"-h", "--help"}, .help = "show the command's help"});
  return out;
}

std::vector<described_command const*> leaves_of(described_command const& root) {
  std::vector<described_command const*> out;
  collect_leaves(root, out);
  return out;
}

}  // namespace svc::cli
