#pragma once

namespace svc::cli {

/// Takes SIGINT and SIGTERM from now on. After a signal, waits end soon, and the program ends with 130. A second
/// signal ends the program at once. SIGPIPE is ignored; writing to a closed pipe ends the program quietly.
void take_signals();
/// True if an interruption has occurred. Waits ask at least ten times a second.
bool interrupted();
/// Forgets the interruption, for the work that a command does because of it (cancelling a run).
void clear_interruption();
/// Throws `failure` with `exit_code::interrupted` if an interruption has occurred.
void throw_if_interrupted();

}  // namespace svc::cli
