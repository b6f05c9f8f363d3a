#pragma once

namespace svc::cli {

/// Takes SIGINT and SIGTERM from now on: waits end soon after, and the program with 130. A second one ends it at
/// once. SIGPIPE is ignored; writing to a closed pipe ends the program quietly.
void take_signals();
/// True if an interruption has occurred. Waits ask at least ten times a second.
bool interrupted();
/// Forgets the interruption, for the work that a command does because of it (cancelling a run).
void clear_interruption();
/// Throws `failure` with `exit_code::interrupted` if an interruption has occurred.
void throw_if_interrupted();

}  // namespace svc::cli
