// This file formats the help of our programs.
#include "core/value_checks.hpp"
#include "svc/core/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace svc {
namespace {

/// Formats help without CLI11's additions: checks, defaults of flags, groups of options.
class plain_help_format : public CLI::Formatter {
 public:
  explicit plain_help_format(std::string below_root) : below_root_(std::move(below_root)) {
    label("OPTIONS", "OPTIONS");
    label("SUBCOMMAND", "COMMAND");
    label("SUBCOMMANDS", "COMMAND");
  }

  /// Shows the required parts of a command's line before the optional ones.
  std::string make_usage(CLI::App const* app, std::string name) const override {
    auto out = CLI::Formatter::make_usage(app, std::move(name));
    auto const options = out.find(" [OPTIONS]");
    return options == std::string::npos ? out : out.insert(options, required_words(*app));
  }

  std::string make_option_name(CLI::Option const* option, bool is_positional) const override {
    if (is_positional) return option->get_name(true, false);
    std::vector<std::string> names;
    for (auto const& name : option->get_snames()) names.push_back("-" + name);
    for (auto const& name : option->get_lnames()) names.push_back("--" + name);
    return CLI::detail::join(names, ",");
  }

  std::string make_option_opts(CLI::Option const* option) const override {
    bool const value = option->get_items_expected_max() > 0, positional = option->get_positional();
    std::string out;
    if (value && !positional) out += " " + value_name_of(*option);
    if (option->get_items_expected_max() > 1) out += " ...";
    if (auto const known = choices_of(*option); value && !known.empty())
      out += " (" + CLI::detail::join(known, ", ") + ")";
    if (auto const range = range_in(option->get_type_name()); value && range && range->most.size() < 8)
      out += " (" + range->least + " to " + range->most + ")";
    auto const initial = option->get_default_str();
    bool const may_lack_value = option->get_items_expected_min() == 0;
    if (value && !initial.empty())
      out += may_lack_value ? " (" + initial + " without a value)" : " (default " + initial + ")";
    if (option->get_required() && !positional) out += " (required)";
    if (!option->get_required() && positional) out += " (optional)";
    return out;
  }

  std::string make_subcommands(CLI::App const* app, CLI::AppFormatMode mode) const override {
    auto out = CLI::Formatter::make_subcommands(app, mode);
    for (std::string_view const before : {"[Option Group: ", "\nSubcommands:\n"}) {
      auto const sv = out.find(before);
      if (sv == std::string::npos) continue;
      if (before.front() == '\n')
        out.replace(sv, before.size(), "\nCommands:\n");
      else
        out = without_group_title(out, sv);
    }
    return out;
  }

  std::string make_footer(CLI::App const* app) const override {
    auto out = CLI::Formatter::make_footer(app);
    if (app->get_parent() == nullptr || below_root_.empty()) return out;
    if (!out.empty() && out.back() != '\n') out += '\n';
    return out + "\n" + below_root_ + "\n";
  }

 private:
  static std::string with_value(CLI::Option const& option) {
    auto const value = value_name_of(option);
    return "--" + option.get_lnames().front() + (value.empty() ? "" : " " + value);
  }

  static std::string required_words(CLI::App const& app) {
    std::string out;
    for (auto const* const group :
         app.get_subcommands([](CLI::App const* each) { return each->get_name().empty(); })) {
      if (group->get_require_option_min() == 0) continue;
      std::vector<std::string> words;
      for (auto const* const option : alternatives_in(*group)) words.push_back(with_value(*option));
      out += " (" + CLI::detail::join(words, " | ") + ")";
    }
    for (auto const* const option : app.get_options())
      if (option->get_required() && option->nonpositional()) out += " " + with_value(*option);
    return out;
  }

  /// Only the description of a group is for people, so it replaces the library's title and rule.
  static std::string without_group_title(std::string const& text, std::size_t position) {
    auto const end = text.find('\n', position);
    auto const rule = text.find("  [Exactly 1 of the following options is required]", position);
    auto out = text;
    if (rule != std::string::npos) out.erase(rule, text.find('\n', rule) + 1 - rule);
    return end == std::string::npos ? text : out.erase(position, end + 1 - position);
  }

  std::string below_root_;
};

}  // namespace

std::optional<number_range> range_in(std::string const& description) {
  constexpr std::string_view before = " in [", between = " - ";
  auto const open = description.find(before);
  auto const middle = description.find(between, open == std::string::npos ? open : open + before.size());
  auto const close = description.find(']', middle == std::string::npos ? middle : middle + between.size());
  if (open == std::string::npos || middle == std::string::npos || close == std::string::npos) return std::nullopt;
  return number_range{description.substr(open + before.size(), middle - open - before.size()),
                      description.substr(middle + between.size(), close - middle - between.size()),
                      description.find("FLOAT") == std::string::npos,
                      description.find(duration_check) != std::string::npos};
}

std::vector<CLI::Option const*> alternatives_in(CLI::App const& group) {
  return group.get_options([](CLI::Option const* option) { return !option->check_lname("help"); });
}

std::vector<std::string> choices_in(std::string const& description) {
  std::vector<std::string> out;
  auto const open = description.find('{');
  auto const close = description.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return out;
  for (auto position = open + 1; position < close;) {
    auto const comma = std::min(description.find(',', position), close);
    out.push_back(description.substr(position, comma - position));
    position = comma + 1;
  }
  return out;
}

std::shared_ptr<CLI::FormatterBase> plain_help(std::string const& below_root) {
  return std::make_shared<plain_help_format>(below_root);
}

std::string value_name_of(CLI::Option const& option) {
  auto const type = option.get_type_name();
  // CLI11 appends the descriptions of checks: `WHEN:{auto,always}`, `N:INT in [1 - 100]`. `ADDR:PORT` is a name.
  auto const kind = type.substr(0, range_in(type) ? type.find(':') : std::min(type.find(":{"), type.size()));
  bool const number = kind == "INT" || kind == "UINT" || kind == "FLOAT" || kind.find(" in [") != std::string::npos;
  return number ? "N" : kind;
}

std::vector<std::string> choices_of(CLI::Option const& option) {
  return choices_in(option.get_type_name());
}

}  // namespace svc
