#include "cli/commands/context.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {

void add_trigger_key_commands(CLI::App& /*root*/, context& /*cx*/) {}

}  // namespace svc::cli
