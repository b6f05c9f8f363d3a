#pragma once

#include "cli/commands/context.hpp"
#include "cli/console/console.hpp"
#include "cli/events/ci.hpp"
#include "cli/events/run_report.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace svc::cli {

/// Files that a command writes about a run for other programs. Empty: none.
struct report_files {
  std::string junit;     ///< replaced as a whole; - for stdout
  std::string markdown;  ///< appended to, because a pipeline collects several runs in one summary

  bool any() const { return !junit.empty() || !markdown.empty(); }
};

/// Adds `--junit` and `--summary-markdown`.
void declare_report_files(CLI::App& command, report_files& files);
/// Makes the directories of the files, and removes the JUnit report of an earlier run. Throws `failure` (usage) for a
/// file that cannot be written, so that a command can end before it has done anything.
void check_report_files(report_files const& files);
/// `run`: as the service has it. `unknown_because`: as in `junit_report`. A file that cannot be written causes only a
/// warning, because the exit code belongs to the run.
void write_report_files(console& console, report_files const& files, run_result const& result,
                        boost::json::object const& run, std::string_view unknown_because);

/// Reads the last lines of the tests of a run from its stored output. If the output cannot be read, prints a note.
test_output last_output_of(context& cx, std::string const& run, std::size_t tests);

/// Writes the result of a run where GitHub Actions shows it: annotations of tests that did not pass, the summary of
/// the job, and the outputs of the step. A file that cannot be written does not change the run's result.
void report_to_github(console& console, ci_log const& ci, std::string const& run, run_result const& result);
/// Later steps of a workflow read the outputs `run-id` and `status`.
void set_github_outputs(console& console, std::string const& run, std::string_view status);

}  // namespace svc::cli
