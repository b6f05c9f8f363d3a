#include "svc-runner/tools.hpp"

#include "svc-runner/adapter.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace svc::runner {
namespace {

bool is_program(std::string const& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

bool contains(std::vector<std::string> const& texts, std::string_view label) {
  return std::find(texts.begin(), texts.end(), label) != texts.end();
}

}  // namespace

std::string find_program(std::string_view name, std::string_view path) {
  while (!path.empty()) {
    auto const directory = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), directory.size() + 1));
    // A relative directory would mean another one inside the sandbox.
    if (!directory.starts_with('/')) continue;
    auto candidate = std::string(directory) + "/" + std::string(name);
    if (is_program(candidate)) return candidate;
  }
  return {};
}

toolbox find_tools(std::string_view path) {
  toolbox out;
  out.bubblewrap = find_program("bwrap", path);
  out.k6 = find_program("k6", path);
  out.npx = find_program("npx", path);
  out.chromium = find_program("chromium", path);
  out.path = path;
  return out;
}

std::string missing_tool(job_type t, toolbox const& tools, settings const& settings) {
  switch (t) {
    case job_type::command:
      return is_program(tools.shell) ? "" : tools.shell + " is not installed";
    case job_type::k6:
      return !tools.k6.empty() ? "" : "no k6 in PATH (https://k6.io; Debian does not package it)";
    case job_type::playwright:
      break;
  }
  return missing_playwright(tools, settings);
}

label_choice choose_labels(toolbox const& tools, settings const& settings) {
  label_choice out;
  for (auto const t : job_types)
    if (settings.labels.empty() || contains(settings.labels, to_string(t))) out.labels.emplace_back(to_string(t));
  drop_labels(out, settings, [&](job_type t) { return missing_tool(t, tools, settings); });
  return out;
}

void drop_labels(label_choice& choice, settings const& settings,
                 std::function<std::string(job_type)> const& why_not) {
  std::vector<std::string> kept;
  for (auto const& label : choice.labels) {
    auto const type = find_job_type(label);
    auto const reason = type ? why_not(*type) : "there is no such job type";
    if (reason.empty()) {
      kept.push_back(label);
    } else if (contains(settings.labels, label)) {
      choice.problems.push_back("labels: " + label + " cannot be run: " + reason);
    } else {
      choice.left_out.push_back(label + ": " + reason);
    }
  }
  choice.labels = std::move(kept);
  if (choice.labels.empty() && choice.problems.empty())
    choice.problems.emplace_back("labels: no job type can be run here");
}

}  // namespace svc::runner
