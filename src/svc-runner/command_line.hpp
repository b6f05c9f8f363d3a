#pragma once

namespace svc::runner {

/// The program. Returns the exit code: 0 done, 1 failed, 2 wrong arguments or configuration.
int run_command_line(int argc, char const* const* argv);

}  // namespace svc::runner
