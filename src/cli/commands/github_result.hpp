#pragma once

#include "cli/console/console.hpp"
#include "cli/events/ci.hpp"
#include "cli/events/run_report.hpp"

#include <string>
#include <string_view>

namespace svc::cli {

/// Writes the result of a run where GitHub Actions shows it: annotations of tests that did not pass, the summary of
/// the job, and the outputs of the step. A file that cannot be written does not change the run's result.
void report_to_github(console& console, ci_log const& ci, std::string const& run, run_result const& result);
/// Later steps of a workflow read the outputs `run-id` and `status`.
void set_github_outputs(console& console, std::string const& run, std::string_view status);

}  // namespace svc::cli
