#pragma once

#include <string>

namespace CLI {
class App;
}

namespace svc::app {

/// The program: reads its arguments and environment, does what they say. Returns the exit code: 0 done, 1 failed,
/// 2 refused as it was asked (arguments or configuration).
int run_command_line(int argc, char const* const* argv);

/// A bash completion script made from the commands and options of `root`.
std::string bash_completion(CLI::App const& root);

}  // namespace svc::app
