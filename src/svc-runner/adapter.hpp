#pragma once

#include "svc-runner/client/messages.hpp"
#include "svc-runner/isolation/isolation.hpp"
#include "svc-runner/isolation/scratch.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace svc::runner {

/// Writes all files of a run, before its first script starts: afterwards the directory is the scripts'.
void prepare_run(job_type type, settings const& with, scratch const& place, std::vector<test_script> const& tests);

/// Which command runs a test. `seen`: where scripts find the run's directory. `number` counts its tests from 1.
command_line test_command(job_type type, toolbox const& tools, settings const& with, scratch const& place,
                          std::string const& seen, std::size_t number);

/// What the test's tool left about its failures; empty if nothing. A script may have written it.
std::string failures_of(job_type type, scratch const& place);

/// What shows that Playwright jobs can be run: a directory and a command like theirs that ends with 0.
command_line prepare_trial(toolbox const& tools, settings const& with, scratch const& place, std::string const& seen);

/// What an exit code means for a job type.
outcome outcome_of(job_type type, int exit_code);

/// A sentence about an end that was no success.
std::string describe_exit(int exit_code);

}  // namespace svc::runner
