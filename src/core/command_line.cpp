#include "svc/core/command_line.hpp"

#include "core/letters_apart.hpp"
#include "core/value_checks.hpp"
#include "svc/core/numbers.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>

namespace svc {
namespace {

using words = std::vector<std::string>;

template <class Error>
bool is_a(CLI::ParseError const& error) {
  return dynamic_cast<Error const*>(&error) != nullptr;
}

std::string listed(words const& all, char const* last) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out += (i == 0 ? "" : i + 1 == all.size() ? " " + std::string(last) + " " : ", ") + all[i];
  return out;
}

std::string quoted_word(std::string const& word) {
  return "'" + word + "'";
}

/// Returns the commands of a line, from the program to the last command in it. Option groups have no name.
std::vector<CLI::App*> commands_of_line(CLI::App& root) {
  std::vector<CLI::App*> out{&root};
  for (bool more = true; more;) {
    more = false;
    for (auto* const below : out.back()->get_subcommands()) {
      if (below->get_name().empty()) continue;
      out.push_back(below);
      more = true;
      break;
    }
  }
  return out;
}

std::string path_of(CLI::App const& command) {
  auto const* const parent = command.get_parent();
  return parent == nullptr ? command.get_name() : path_of(*parent) + " " + command.get_name();
}

words names_of_commands(CLI::App& below) {
  words out;
  for (auto const* const each : below.get_subcommands([](CLI::App const* app) { return !app->get_group().empty(); }))
    if (!each->get_name().empty()) out.push_back(each->get_name());
  return out;
}

std::vector<CLI::App*> option_groups(CLI::App& command) {
  return command.get_subcommands([](CLI::App* app) { return app->get_name().empty(); });
}

/// Returns the options of a command itself and of its groups.
std::vector<CLI::Option*> own_options(CLI::App& command) {
  auto out = command.get_options(std::function<bool(CLI::Option*)>());
  for (auto* const group : option_groups(command))
    for (auto* const option : group->get_options(std::function<bool(CLI::Option*)>())) out.push_back(option);
  return out;
}

std::vector<CLI::Option*> options_of_line(std::vector<CLI::App*> const& line) {
  std::vector<CLI::Option*> out;
  for (auto* const command : line)
    for (auto* const option : own_options(*command)) out.push_back(option);
  return out;
}

/// Returns the name as users type it: `--limit`, `-q`, or the name of an argument.
std::string shown_name(CLI::Option const& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  return option.get_name(true);
}

/// Returns true if two neighbouring letters changed places, the most usual mistake.
bool is_transposed(std::string const& typed, std::string const& word) {
  if (typed.size() != word.size()) return false;
  auto const [iterator, other] = std::ranges::mismatch(typed, word);
  return typed.end() - iterator >= 2 && *iterator == other[1] && iterator[1] == *other &&
         std::equal(iterator + 2, typed.end(), other + 2);
}

std::optional<std::string> nearest(std::string const& typed, std::span<std::string const> known) {
  std::optional<std::string> out;
  auto least = largest_mistype + 1;
  for (auto const& each : known) {
    auto const apart = is_transposed(typed, each) ? 1 : letters_apart(typed, each);
    // Dashes, which all options have, make no two options similar.
    if (apart >= least || apart * 2 >= each.size() - std::min(each.find_first_not_of('-'), each.size())) continue;
    least = apart;
    out = each;
  }
  return out;
}

/// Returns the only known word that starts with the typed one: `http_request` of `http`.
std::optional<std::string> only_continuation(std::string const& typed, words const& known) {
  constexpr std::size_t shortest = 3;
  auto const goes_on = [&](std::string const& word) { return typed.size() >= shortest && word.starts_with(typed); };
  auto const found = std::ranges::find_if(known, goes_on);
  bool const only = found != known.end() && std::find_if(found + 1, known.end(), goes_on) == known.end();
  return only ? std::optional(*found) : std::nullopt;
}

std::string suggestion(std::string const& typed, words const& known) {
  auto meant = nearest(typed, known);
  if (!meant) meant = only_continuation(typed, known);
  return meant ? " Did you mean " + *meant + "?" : "";
}

std::string where_options_are(CLI::App const& command) {
  auto const path = path_of(command);
  bool const program = command.get_parent() == nullptr;
  return path + " --help shows " + (program ? "what it takes." : "what this command takes.");
}

usage_problem unknown_command(CLI::App& app, std::string const& word) {
  auto const path = path_of(app);
  return {path + " has no command " + quoted_word(word) + "." + suggestion(word, names_of_commands(app)),
          path + " --help lists its commands."};
}

/// Returns the other commands of the group that take the option; empty if none does.
std::string siblings_with(CLI::App& command, std::string const& word) {
  words takers;
  auto* const group = command.get_parent();
  if (group == nullptr || group->get_parent() == nullptr) return {};
  for (auto* const sibling : group->get_subcommands([](CLI::App* app) { return !app->get_name().empty(); })) {
    auto const takes = [&](CLI::Option const* option) {
      return std::ranges::any_of(option->get_lnames(), [&](auto const& name) { return "--" + name == word; });
    };
    if (sibling != &command && std::ranges::any_of(own_options(*sibling), takes)) takers.push_back(path_of(*sibling));
  }
  return takers.empty() ? std::string()
                        : " " + listed(takers, "and") + (takers.size() == 1 ? " has it." : " have it.");
}

usage_problem unknown_option(std::vector<CLI::App*> const& line, std::string const& typed) {
  auto const word = typed.substr(0, typed.find('='));
  words known;
  for (auto const* const option : options_of_line(line))
    if (!option->get_group().empty())
      for (auto const& name : option->get_lnames()) known.push_back("--" + name);
  // The command accepts the option, but the option is not after its command.
  if (std::ranges::find(known, word) != known.end())
    return {word + " belongs after the command: " + path_of(*line.back()) + " " + word + " ...",
            where_options_are(*line.back())};
  auto const meant = suggestion(word, known);
  return {path_of(*line.back()) + " has no option " + quoted_word(word) + "." +
              (meant.empty() ? siblings_with(*line.back(), word) : meant),
          where_options_are(*line.back())};
}

/// Returns the question whether a word belongs to the option that may be given often, if the command has only one.
std::string option_for_word(CLI::App& app, std::string const& word) {
  std::string name;
  for (auto const* const option : own_options(app)) {
    if (option->get_positional() || option->get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll) continue;
    if (!name.empty()) return {};
    name = shown_name(*option);
  }
  return name.empty() ? std::string() : " Did you mean " + name + " " + word + "?";
}

/// Reports the first mistake: a mistyped command explains the options after it, and an unknown option explains the
/// words after it.
std::optional<usage_problem> unexpected_word(std::vector<CLI::App*> const& line, words const& rest) {
  bool const command_first =
      !rest.empty() && !rest.front().starts_with("-") && !names_of_commands(*line.back()).empty();
  if (command_first) return unknown_command(*line.back(), rest.front());
  auto found = std::find_if(rest.begin(), rest.end(), [](auto const& word) { return word.starts_with("-"); });
  if (found != rest.end() && *found != "--") return unknown_option(line, *found);
  if (rest.empty()) return std::nullopt;
  auto& app = *line.back();
  if (!names_of_commands(app).empty()) return unknown_command(app, rest.front());
  auto const takes_some = std::ranges::any_of(own_options(app), [](auto* each) { return each->get_positional(); });
  return usage_problem{path_of(app) + " does not expect " + quoted_word(rest.front()) +
                           (takes_some ? ": it takes no further argument." : ": it takes options only.") +
                           option_for_word(app, rest.front()),
                       where_options_are(app)};
}

usage_problem missing_words(CLI::App& app) {
  auto const path = path_of(app);
  words missing;
  for (auto const* const option : own_options(app))
    if (option->get_required() && option->count() == 0) missing.push_back(shown_name(*option));
  if (!missing.empty()) return {path + " needs " + listed(missing, "and") + ".", where_options_are(app)};
  for (auto* const group : option_groups(app)) {
    words names;
    std::size_t given = 0;
    for (auto const* const option : alternatives_in(*group)) {
      names.push_back(shown_name(*option));
      given += option->count() > 0 ? 1 : 0;
    }
    if (given < group->get_require_option_min())
      return {path + " needs " + listed(names, "or") + ".", where_options_are(app)};
    if (group->get_require_option_max() > 0 && given > group->get_require_option_max())
      return {listed(names, "and") + " exclude each other.", where_options_are(app)};
  }
  auto const below = names_of_commands(app);
  return {path + " needs a command" + (below.size() > 12 ? "." : ": " + listed(below, "or") + "."),
          path + " --help lists them."};
}

/// Returns the problem with one value; empty if this check accepts the value.
std::string refused_value(CLI::Validator const& check, std::string const& value) {
  auto const reason = check(value);
  if (reason.empty()) return {};
  auto const description = check.get_description();
  if (auto const range = range_in(description); range && range->duration)
    return " must be from " + range->least + " to " + range->most + " (s, m, h, d), not " + quoted_word(value) + ".";
  else if (range)
    return std::string(" must be a ") + (range->whole ? "whole " : "") + "number from " + range->least + " to " +
           range->most + ", not " + quoted_word(value) + ".";
  if (auto const known = choices_in(description); !known.empty())
    return " must be " + listed(known, "or") + ", not " + quoted_word(value) + "." +
           (value.find(',') == std::string::npos ? suggestion(value, known) : " Give only one word.");
  if (reason.starts_with("must ")) return " " + reason + ", not " + quoted_word(value) + ".";
  return ": " + reason + (reason.ends_with('.') ? "" : ".");
}

std::optional<std::string> refused_value_of(CLI::Option& option) {
  for (int i = 0;; ++i) {
    CLI::Validator* check = nullptr;
    try {
      check = option.get_validator(i);
    } catch (CLI::OptionNotFound const&) {
      return std::nullopt;
    }
    for (auto const& value : option.results())
      if (auto const wrong = refused_value(*check, value); !wrong.empty()) return shown_name(option) + wrong;
  }
}

/// Returns the option that a sentence of the library is about, because the library gives no other access to it.
CLI::Option const* option_named_in(std::vector<CLI::Option*> const& all, std::string const& sentence) {
  CLI::Option const* out = nullptr;
  for (auto const* const option : all)
    if (sentence.find(shown_name(*option)) != std::string::npos &&
        (out == nullptr || shown_name(*option).size() > shown_name(*out).size()))
      out = option;
  return out;
}

std::optional<std::string> conflict_in(std::vector<CLI::Option*> const& all) {
  for (auto const* const option : all) {
    if (option->count() == 0) continue;
    for (auto const* const other : option->get_excludes())
      if (other->count() > 0) return shown_name(*option) + " and " + shown_name(*other) + " exclude each other.";
    for (auto const* const other : option->get_needs())
      if (other->count() == 0) return shown_name(*option) + " needs " + shown_name(*other) + ", too.";
  }
  return std::nullopt;
}

std::string wrong_number_of_values(CLI::Option const& option, std::string const& sentence) {
  auto const name = shown_name(option);
  // A switch has a word for each of its states.
  if (option.get_items_expected_max() == 0 && option.count() > 1 && option.get_lnames().size() > 1) {
    words states;
    for (auto const& each : option.get_lnames()) states.push_back("--" + each);
    return listed(states, "and") + " exclude each other.";
  }
  if (option.get_items_expected_max() == 0 && option.count() > 1) return name + " may be given only once.";
  if (option.get_items_expected_max() == 0) return name + " takes no value.";
  if (sentence.find("At Most") != std::string::npos || option.count() > 1) return name + " may be given only once.";
  auto const value = value_name_of(option);
  return name + " needs a value" + (value.empty() ? "." : ", " + value + ".");
}

std::string value_sentence(std::vector<CLI::Option*> const& all, CLI::ParseError const& error) {
  for (auto* const option : all)
    if (option->count() > 0)
      if (auto wrong = refused_value_of(*option)) return *wrong;
  std::string const sentence = error.what();
  auto const* const option = option_named_in(all, sentence);
  if (option == nullptr) return sentence;
  if (!is_a<CLI::ConversionError>(error)) return wrong_number_of_values(*option, sentence);
  if (option->get_items_expected_max() == 0 || option->results().empty())
    return shown_name(*option) + " takes no value.";
  return shown_name(*option) + " must be a number, not " + quoted_word(option->results().back()) + ".";
}

}  // namespace

std::string usage_problem::lines(std::string const& program) const {
  auto out = program + ": " + sentence + "\n";
  if (!hint.empty()) out += std::string(program.size() + 2, ' ') + hint + "\n";
  return out;
}

std::string nearest_word(std::string_view typed, std::span<std::string const> known) {
  return nearest(std::string(typed), known).value_or("");
}

usage_problem explain_usage(CLI::App& root, CLI::ParseError const& error) {
  auto const line = commands_of_line(root);
  auto& app = *line.back();
  bool const incomplete = is_a<CLI::RequiredError>(error);
  if (incomplete || is_a<CLI::ExtrasError>(error)) {
    if (auto const unexpected = unexpected_word(line, root.remaining(true))) return *unexpected;
    if (incomplete) return missing_words(app);
  }
  auto const all = options_of_line(line);
  if (is_a<CLI::ExcludesError>(error) || is_a<CLI::RequiresError>(error))
    if (auto const conflict = conflict_in(all)) return {*conflict, where_options_are(app)};
  return {value_sentence(all, error), where_options_are(app)};
}

CLI::Option* add_seconds_option(CLI::App& app, std::string const& name, std::string const& help, seconds_range range,
                                std::function<void(std::int64_t)> take) {
  auto const refused = [range](std::string const& text) {
    auto const seconds = parse_seconds(text);
    return seconds && *seconds >= range.least && *seconds <= range.most ? "" : "must be in its range";
  };
  return app
      .add_option_function<std::string>(
          name, [take = std::move(take)](std::string const& text) { take(parse_seconds(text).value_or(0)); }, help)
      ->type_name("TIME")
      ->check(CLI::Validator(refused, duration_check + std::string(" in [") + seconds_text(range.least) + " - " +
                                          seconds_text(range.most) + "]"));
}

CLI::App* add_help_command(CLI::App& root, std::vector<std::string>& words) {
  auto* const out = root.add_subcommand("help", "Show the help of a command");
  out->add_option("COMMAND", words, "the words of the command");
  return out;
}

help_answer help_of(CLI::App& root, std::span<std::string const> words) {
  auto* app = &root;
  for (auto const& word : words) {
    auto const below = app->get_subcommands([&](CLI::App const* entry) { return entry->get_name() == word; });
    if (below.empty()) return {.problem = unknown_command(*app, word)};
    app = below.front();
  }
  return {.text = app->get_formatter()->make_help(app, path_of(*app), CLI::AppFormatMode::Normal), .problem = {}};
}

}  // namespace svc
