#pragma once

#include "cli/manual/command_tree.hpp"
#include "svc/core/joined.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace svc::cli {

// What the three completion scripts have in common.

/// In single quotes for a POSIX shell and zsh.
std::string shell_quoted(std::string_view text);
/// `text` with each `%name%` replaced by its value.
std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values);

/// The command and all below it, parents first.
void for_each_command(described_command const& command, std::function<void(described_command const&)> const& visit);
/// Names of those below.
std::string names_below(described_command const& command, std::string_view between);
/// Of options with names; `valued_only`: that take a value.
std::string option_names(described_command const& command, std::string_view between, bool valued_only);

}  // namespace svc::cli
