#include "cli/commands/context.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {

void add_version_command(CLI::App& /*root*/, context& /*cx*/) {}

}  // namespace svc::cli
