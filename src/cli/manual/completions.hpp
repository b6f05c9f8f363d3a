#pragma once

#include "cli/manual/command_tree.hpp"
#include "svc/core/joined.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace svc::cli {

// Completion scripts: commands, options, the values of options that have few, and files for FILE, DIR and PATH. They
// are complete in themselves and neither start `svc` nor ask the service. Pure.

/// For bash 4.2 or newer, with and without the package bash-completion.
std::string bash_completion(described_command const& root);
/// For zsh; a file `_svc` of `fpath`, which also may be evaluated after `compinit`.
std::string zsh_completion(described_command const& root);
/// For fish 3.
std::string fish_completion(described_command const& root);

// The three completion scripts share these functions.

/// Returns the text in single quotes for a POSIX shell and zsh.
std::string shell_quoted(std::string_view text);
/// Returns `text` with each `%name%` replaced by its value.
std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values);

/// Visits the command and all below it, parents first.
void for_each_command(described_command const& command, std::function<void(described_command const&)> const& visit);
/// Returns the names of the commands below.
std::string names_below(described_command const& command, std::string_view between);
/// Returns the names of options that have names; with `valued_only`, only of options that take a value.
std::string option_names(described_command const& command, std::string_view between, bool valued_only);

}  // namespace svc::cli
