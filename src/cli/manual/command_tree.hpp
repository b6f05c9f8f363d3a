#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace svc::cli {

/// An option or argument of a command, from its definition for CLI11.
struct described_option {
  std::vector<std::string> names{};  ///< with their dashes, `-q`, `--quiet`; none: a positional argument without a
                                     ///< name
  std::string value_name{};          ///< `FILE`, `ID`; empty: a flag
  bool takes_file = false;           ///< its values are files: its type is called FILE, DIR or PATH
  std::string help{};
  std::vector<std::string> choices{};  ///< all allowed values; empty: any
  bool positional = false;
  bool required = false;
  bool repeatable = false;

  bool takes_value() const { return !value_name.empty(); }
};

/// A command. Man pages and completions are written only from this, so that they match the program's options.
struct described_command {
  std::string path{};     ///< with the program's name, `svc job list`
  std::string summary{};  ///< its description in help
  std::string footer{};   ///< the end of the help: examples, in indented lines
  /// The options without help. Options of the program's own command apply to every command (they fall through).
  std::vector<described_option> options{};
  std::vector<described_command> commands{};

  std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

described_option described(CLI::Option const& option);
/// Returns the visible part of the tree. Hidden commands and options (of the group "") are left out.
described_command described(CLI::App const& root);

/// Returns the commands with an action, which have no commands below them, depth first.
std::vector<described_command const*> leaves_of(described_command const& root);

}  // namespace svc::cli
