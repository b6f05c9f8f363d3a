#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
class Option;
class ParseError;
}  // namespace CLI

// The error and help texts about the command lines of our programs. CLI11 parses the lines; its own sentences reach
// no user.

namespace svc {

/// A mistake in a command line, and a hint about its correction.
struct usage_problem {
  std::string sentence{};
  std::string hint{};

  /// Returns both for stderr, as `PROGRAM: sentence` and an indented line.
  std::string lines(std::string const& program) const;
};

/// Explains why `root` refused a line. Call it directly after `parse` threw `error`. For an unknown option or command
/// it names the nearest one that exists; for a wrong value, the range or words that are allowed.
usage_problem explain_usage(CLI::App& root, CLI::ParseError const& error);

/// Returns the word of `known` that was most likely meant; empty if none is near.
std::string nearest_word(std::string_view typed, std::span<std::string const> known);

/// Adds the command `help [COMMAND ...]`. Its words are written to `words`; the caller acts upon
/// `CLI::App::got_subcommand` or a callback.
CLI::App* add_help_command(CLI::App& root, std::vector<std::string>& words);
/// The help text of the command that `words` name. If there is no such command, `text` is empty and `problem`
/// set.
struct help_answer {
  std::string text{};
  usage_problem problem{};
};
help_answer help_of(CLI::App& root, std::span<std::string const> words);

/// The range of an option whose value is a duration, in seconds.
struct seconds_range {
  std::int64_t least, most;
};
/// Adds an option that takes `90d`, `12h`, `30m` or `45s`; a bare number is seconds. `take` gets the seconds.
CLI::Option* add_seconds_option(CLI::App& app, std::string const& name, std::string const& help, seconds_range range,
                                std::function<void(std::int64_t)> take);

/// Writes options for people: the value's name, the words or the range that are allowed, and whether the option is
/// required. `below_root` is the last line in the help of every command except the program itself. Set it before
/// commands are added, because each command starts with a copy.
std::shared_ptr<CLI::FormatterBase> plain_help(std::string const& below_root = {});

/// Returns the name of an option's value without the library's descriptions of its checks: `FILE`, `N`.
std::string value_name_of(CLI::Option const& option);
/// Returns the words that are allowed as an option's value; empty if any text is.
std::vector<std::string> choices_of(CLI::Option const& option);

}  // namespace svc
