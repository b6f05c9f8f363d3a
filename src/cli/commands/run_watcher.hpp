#pragma once

#include "cli/commands/context.hpp"
#include "cli/commands/report_files.hpp"

#include <string>

namespace svc::cli {

/// How a run is watched.
struct watching {
  bool follow = false;               ///< shows the output as it comes, on stderr; else only how the run is doing
  bool raw = false;                  ///< lines as they were printed, with all their control characters
  bool cancel_on_interrupt = false;  ///< Ctrl-C ends the run, too
  /// This command made the run: it is waited for although the service is out of reach at first, and stdout ends with
  /// it in JSON when no other format was chosen.
  bool just_triggered = false;
  report_files reports{};  ///< written at the end, also when the watch ends before the run
};

/// Watches a run to its end over broken connections, says on stderr how it is doing and what did not pass, in a CI
/// system in its language, and writes the run to stdout. Ok: it passed; refused: it ended otherwise. Throws `failure`
/// when it cannot go on watching: it names the run, which goes on, and how to watch it again; the run as last known
/// is on stdout then, too.
exit_code watch_run(context& cx, std::string const& run, watching view);

/// What a command that makes a run takes to wait for it.
struct waiting_options {
  bool wait = false;
  watching view{.just_triggered = true};

  bool waits() const { return wait || view.follow; }
};

void declare_waiting(CLI::App& command, waiting_options& given);
/// Throws `bad_usage` for reports of a run that is not waited for, and for files that cannot be written.
void check_waiting(waiting_options const& given);
/// Makes a run by a POST to `target`, which answers with the run, then waits for it or shows it.
exit_code start_run(context& cx, std::string const& target, waiting_options const& given);

}  // namespace svc::cli
