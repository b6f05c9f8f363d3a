#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace svc::cli {

/// An option or argument of a command, as its definition for CLI11 has it.
struct described_option {
  std::vector<std::string> names{};  ///< with their dashes, `-q`, `--quiet`; none: an argument that has only a place
  std::string value_name{};          ///< `FILE`, `ID`; empty: a flag
  bool takes_file = false;           ///< whether its values are files: its type is called FILE, DIR or PATH
  std::string help{};
  std::vector<std::string> choices{};  ///< all values there are; empty: any
  bool positional = false;
  bool required = false;
  bool repeatable = false;

  bool takes_value() const { return !value_name.empty(); }
};

/// A command. Man pages and completions are written from this alone, so that they say what the program takes.
struct described_command {
  std::string path{};     ///< with the program's name, `svc job list`
  std::string summary{};  ///< its description in help
  std::string footer{};   ///< what help says at its end: examples, in indented lines
  /// Without help; those of the program's own command hold for every command (they fall through).
  std::vector<described_option> options{};
  std::vector<described_command> commands{};

  std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

described_option described(CLI::Option const& option);
/// What the tree shows in help. Hidden commands and options (of the group "") are left out.
described_command described(CLI::App const& root);

/// The commands that do something, those without commands below them, depth first.
std::vector<described_command const*> leaves_of(described_command const& root);

}  // namespace svc::cli
