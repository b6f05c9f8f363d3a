#pragma once

namespace CLI {
class App;
}

namespace svc::cli {

class context;

/// The whole tree of commands, with the global options.
void build_tree(CLI::App& root, context& cx);

/// The program. Returns the exit code (`exit_code` in console/failure.hpp).
int run_program(int argc, char** argv);

}  // namespace svc::cli
