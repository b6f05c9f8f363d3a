#pragma once

#include "svc-runner/client/messages.hpp"
#include "svc-runner/isolation/isolation.hpp"
#include "svc-runner/isolation/scratch.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace svc::runner {

// Playwright jobs. The operator provides Playwright (`playwright.modules`, a node_modules directory that scripts see
// read-only) and a browser. Each run is a Playwright project of its own that links to them, with one file for each
// test.

/// Returns the browser's program: `playwright.browser` if set. Otherwise the result is empty for Playwright's own
/// browser, if the modules contain it (PLAYWRIGHT_BROWSERS_PATH=0). Otherwise it is the chromium in PATH.
std::string playwright_browser(toolbox const& tools, settings const& settings);

/// Returns the reason why Playwright jobs cannot run here; empty if everything is found.
std::string missing_playwright(toolbox const& tools, settings const& settings);

/// Writes the files that the tests of a run share, and makes a directory for the tests.
void prepare_playwright(settings const& settings, scratch const& directory);

/// Returns the path of the test of that name in the project.
std::string playwright_file(std::string const& name);
command_line playwright_command(toolbox const& tools, settings const& settings, std::string const& file);

/// Returns a command that prints the versions of Playwright and the browser, in a project that `prepare_playwright`
/// made.
command_line playwright_versions(toolbox const& tools, settings const& settings);

/// Returns Playwright's report on the failures of the last test, in whole lines; empty if there is none. Removes the
/// file. A script may have written the report: use it only as text to show.
std::string playwright_failures(scratch const& directory);

/// Writes all files of a run before its first script starts. Afterwards the directory belongs to the scripts.
void prepare_run(job_type type, settings const& settings, scratch const& directory,
                 std::vector<test_script> const& tests);

/// Returns the command that runs a test. `seen` is the path at which scripts find the run's directory. `number`
/// counts the run's tests from 1.
command_line test_command(job_type type, toolbox const& tools, settings const& settings, scratch const& directory,
                          std::string const& seen, std::size_t number);

/// Returns the tool's report on the failures of the test; empty if there is none. A script may have written it.
std::string failures_of(job_type type, scratch const& directory);

/// Prepares a directory like that of a Playwright job; returns a command that exits with 0 if such jobs can run.
command_line prepare_trial(toolbox const& tools, settings const& settings, scratch const& directory,
                           std::string const& seen);

/// Returns the meaning of an exit code for a job type.
outcome outcome_of(job_type type, int exit_code);

/// Describes an unsuccessful end. SIGKILL leaves no other trace, so the text then names possible senders. It does not
/// if `out_of_memory` is true, because then the run's own memory limit took effect.
std::string describe_exit(int exit_code, bool out_of_memory);

}  // namespace svc::runner
