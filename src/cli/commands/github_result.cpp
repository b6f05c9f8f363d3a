#include "cli/commands/github_result.hpp"

#include "cli/console/harmless.hpp"

#include <cstdlib>
#include <fstream>

namespace svc::cli {
namespace {

/// Appends to the file that GitHub names by a variable.
void append_to_ci_file(console& console, char const* variable, std::string const& text) {
  auto const* const path = std::getenv(variable);
  if (path == nullptr || *path == '\0') return;
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << text << std::flush;
  if (!file) console.warn("The file that " + std::string(variable) + " names cannot be written.");
}

}  // namespace

void report_to_github(console& console, ci_log const& ci, std::string const& run, run_result const& result) {
  std::string errors;
  for (auto const& test : result.tests) {
    if (!test.broken()) continue;
    auto message = test.details;
    for (auto const& line : test.last_lines) message += '\n' + without_colours(line);
    errors += ci.error(test.title + ": " + test.status, message);
  }
  if (errors.empty() && !result.passed()) errors = ci.error("Run " + run + ": " + result.status, result.details);
  console.beside(errors);
  append_to_ci_file(console, "GITHUB_STEP_SUMMARY", summary_markdown(result));
  set_github_outputs(console, run, result.status);
}

void set_github_outputs(console& console, std::string const& run, std::string_view status) {
  append_to_ci_file(console, "GITHUB_OUTPUT", "run-id=" + run + "\nstatus=" + harmless(status) + "\n");
}

}  // namespace svc::cli
