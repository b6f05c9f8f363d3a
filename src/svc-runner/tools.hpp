#pragma once

#include "svc-runner/settings.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::runner {

/// The kinds of jobs that a runner can run; their names are its labels.
enum class job_type : std::uint8_t { command, playwright, k6 };

inline constexpr job_type job_types[] = {job_type::command, job_type::playwright, job_type::k6};

constexpr std::string_view to_string(job_type t) {
  switch (t) {
    case job_type::command:
      return "command";
    case job_type::playwright:
      return "playwright";
    case job_type::k6:
      break;
  }
  return "k6";
}

constexpr std::optional<job_type> find_job_type(std::string_view label) {
  for (auto const t : job_types)
    if (to_string(t) == label) return t;
  return std::nullopt;
}

/// Returns the first executable file of that name in the directories of `path`; empty if there is none.
std::string find_program(std::string_view name, std::string_view path);

/// The programs that job types need, found once at the start. Immutable.
struct toolbox {
  std::string bubblewrap{};  ///< empty: not found
  std::string shell = "/bin/sh";
  std::string k6{};
  std::string npx{};
  std::string chromium{};
  std::string path{};  ///< directories in which scripts find programs
};

toolbox find_tools(std::string_view path);

/// Returns the reason why a job type cannot run here; empty if it can.
std::string missing_tool(job_type t, toolbox const& tools, settings const& settings);

struct label_choice {
  std::vector<std::string> labels{};    ///< labels to register with
  std::vector<std::string> problems{};  ///< of configured labels; if there is any, the runner does not start
  std::vector<std::string> left_out{};  ///< sentences about job types that are not configured and cannot run
};

label_choice choose_labels(toolbox const& tools, settings const& settings);

/// Moves labels that do not work to `problems` or `left_out`. `why_not` returns the reason, empty for a label that
/// works.
void drop_labels(label_choice& choice, settings const& settings, std::function<std::string(job_type)> const& why_not);

}  // namespace svc::runner
