#pragma once

namespace svc::app {

/// The program: parses its arguments and environment and runs the command. Returns the exit code: 0 done, 1 failed, 2
/// wrong arguments or configuration.
int run_command_line(int argc, char const* const* argv);

}  // namespace svc::app
