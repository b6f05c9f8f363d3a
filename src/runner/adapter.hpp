#pragma once

#include "runner/isolation.hpp"
#include "runner/messages.hpp"
#include "runner/scratch.hpp"

#include <cstddef>
#include <string>

namespace svc::runner {

/// How the tests of one job type are started: writes what a test needs into the run's directory and says which
/// command runs it. `seen`: where scripts find that directory. `number` counts a run's tests from 1.
command_line prepare_test(job_type type, toolbox const& tools, settings const& with, scratch const& place,
                          std::string const& seen, std::size_t number, test_script const& test);

/// What the run's tests share; once, before the first.
void prepare_run(job_type type, settings const& with, scratch const& place);

/// What the test's tool left about its failures; empty if nothing. A script may have written it.
std::string failures_of(job_type type, scratch const& place);

/// What shows that Playwright jobs can be run: a directory and a command like theirs that ends with 0.
command_line prepare_trial(toolbox const& tools, settings const& with, scratch const& place, std::string const& seen);

/// What an exit code means for a job type.
outcome outcome_of(job_type type, int exit_code);

/// A sentence about an end that was no success.
std::string describe_exit(int exit_code);

}  // namespace svc::runner
