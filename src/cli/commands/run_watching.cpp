#include "cli/commands/context.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {

void add_run_watching(CLI::App& /*run*/, context& /*cx*/) {}

}  // namespace svc::cli
