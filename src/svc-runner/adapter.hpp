#pragma once

#include "svc-runner/client/messages.hpp"
#include "svc-runner/isolation/isolation.hpp"
#include "svc-runner/isolation/scratch.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace svc::runner {

// Playwright jobs. The operator brings Playwright (`playwright.modules`, a node_modules directory that scripts see
// read-only) and a browser; each run is a Playwright project of its own that links to them, with one file for each
// test.

/// The browser's program: `playwright.browser` if set; otherwise empty for Playwright's own, if it lies in the
/// modules (PLAYWRIGHT_BROWSERS_PATH=0); otherwise the chromium in PATH.
std::string playwright_browser(toolbox const& tools, settings const& settings);

/// Why Playwright jobs cannot be run here; empty when everything is found.
std::string missing_playwright(toolbox const& tools, settings const& settings);

/// Writes what the tests of a run share, and makes a directory for their files.
void prepare_playwright(settings const& settings, scratch const& place);

/// The path of the test of that name in the project.
std::string playwright_file(std::string const& name);
command_line playwright_command(toolbox const& tools, settings const& settings, std::string const& file);

/// Prints the versions of Playwright and the browser, in a project that `prepare_playwright` made.
command_line playwright_versions(toolbox const& tools, settings const& settings);

/// What Playwright reported about the failures of the last test, in whole lines; empty if nothing. Removes the file.
/// A script may have written it: treat it as text to show, nothing else.
std::string playwright_failures(scratch const& place);

/// Writes all files of a run, before its first script starts: afterwards the directory is the scripts'.
void prepare_run(job_type type, settings const& settings, scratch const& place,
                 std::vector<test_script> const& tests);

/// The command that runs a test. `seen`: where scripts find the run's directory. `number` counts its tests from 1.
command_line test_command(job_type type, toolbox const& tools, settings const& settings, scratch const& place,
                          std::string const& seen, std::size_t number);

/// What the test's tool left about its failures; empty if nothing. A script may have written it.
std::string failures_of(job_type type, scratch const& place);

/// Prepares a directory like that of a Playwright job; returns a command that ends with 0 if such jobs can be run.
command_line prepare_trial(toolbox const& tools, settings const& settings, scratch const& place,
                           std::string const& seen);

/// What an exit code means for a job type.
outcome outcome_of(job_type type, int exit_code);

/// Describes an unsuccessful end. SIGKILL leaves no other trace, so the text names the senders to think of, unless
/// `out_of_memory`: the run's own memory limit took effect.
std::string describe_exit(int exit_code, bool out_of_memory);

}  // namespace svc::runner
