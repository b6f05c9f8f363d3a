#pragma once

#include "cli/commands/context.hpp"
#include "cli/commands/report_files.hpp"

#include <string>

namespace svc::cli {

/// The options of watching a run.
struct watching {
  bool follow = false;               ///< shows the output on stderr as it arrives; otherwise only the run's progress
  bool raw = false;                  ///< prints lines unchanged, with all their control characters
  bool cancel_on_interrupt = false;  ///< Ctrl-C also cancels the run
  /// True if this command made the run. The command then waits although the service is unreachable at first. stdout
  /// ends with the run in JSON when the user chose no other format.
  bool just_triggered = false;
  report_files reports{};  ///< written at the end, also when the watch ends before the run
};

/// Watches a run to its end over broken connections. Reports on stderr the progress and the failed tests, in a CI
/// system in its syntax, and writes the run to stdout. Returns ok if the run passed, refused if it ended otherwise.
///
/// Throws `failure` when it cannot continue watching. The failure names the run, which continues, and the command
/// that watches it again. stdout then also has the last known state of the run.
exit_code watch_run(context& cx, std::string const& run, watching view);

/// The options for waiting, of a command that makes a run.
struct waiting_options {
  bool wait = false;
  watching view{.just_triggered = true};

  bool waits() const { return wait || view.follow; }
};

void declare_waiting(CLI::App& command, waiting_options& given);
/// Throws `bad_usage` for reports of a run without waiting, and for files that are not writable.
void check_waiting(waiting_options const& given);
/// Makes a run by a POST to `target`, whose answer is the run, then waits for the run or shows it.
exit_code start_run(context& cx, std::string const& target, waiting_options const& given);

}  // namespace svc::cli
