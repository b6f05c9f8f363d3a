// Commands that make a run and may wait for it.
#include "cli/commands/resource.hpp"
#include "cli/commands/run_watcher.hpp"
#include "cli/console/harmless.hpp"
#include "svc/core/uuid.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {

void declare_waiting(CLI::App& command, waiting_options& given) {
  command.add_flag("--wait", given.wait,
                   "wait for the end; exit with the run's code and print the run as JSON to stdout");
  command.add_flag("--follow", given.view.follow, "the same, and show the output on stderr as it arrives");
  command.add_flag("--raw", given.view.raw, "with --follow: pass all control characters of scripts");
  command.add_flag("--cancel-on-interrupt", given.view.cancel_on_interrupt, "Ctrl-C ends the run as well");
  declare_report_files(command, given.view.reports);
}

void check_waiting(waiting_options const& given) {
  if (given.view.reports.any() && !given.waits())
    throw bad_usage("A report needs the end of the run.", "Add --follow or --wait.");
  check_report_files(given.view.reports);
}

exit_code start_run(context& cx, std::string const& target, waiting_options const& given) {
  auto const answer =
      cx.client()
          .send(
              {.method = "POST", .target = target, .fields = {{"Idempotency-Key", uuid::generate_v7().to_string()}}})
          .body;
  auto const run = object_of(answer).as_object();
  auto const id = text_of_member(run, "id");
  if (given.waits()) return watch_run(cx, id, given.view);
  show_answer(cx.console, answer, run_resource().details);
  cx.console.flush();
  cx.console.note("The run waits for a runner of " + harmless(text_of_member(run, "jobType")) +
                  " jobs; svc run watch " + harmless(id) + " follows it.");
  return exit_code::ok;
}

}  // namespace svc::cli
