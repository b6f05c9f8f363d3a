#pragma once

#include "cli/manual/command_tree.hpp"

#include <string>

namespace svc::cli {

// Completion scripts: commands, options, the values of options that have few, and files for FILE, DIR and PATH. They
// are complete in themselves and neither start `svc` nor ask the service. Pure.

/// For bash 4.2 or newer, with and without the package bash-completion.
std::string bash_completion(described_command const& root);
/// For zsh; a file `_svc` of `fpath`, which also may be evaluated after `compinit`.
std::string zsh_completion(described_command const& root);
/// For fish 3.
std::string fish_completion(described_command const& root);

}  // namespace svc::cli
