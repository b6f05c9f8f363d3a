#include "runner/tools.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace svc::runner {
namespace {

bool is_program(std::string const& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

bool exists(std::string const& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

}  // namespace

std::string find_program(std::string_view name, std::string_view path) {
  while (!path.empty()) {
    auto const directory = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), directory.size() + 1));
    // A relative directory would mean another one inside of the sandbox.
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
  out.path = path;
  return out;
}

std::string missing_tool(job_type t, toolbox const& tools, settings const& with) {
  switch (t) {
    case job_type::command:
      return is_program(tools.shell) ? "" : tools.shell + " is not here";
    case job_type::k6:
      return !tools.k6.empty() ? "" : "no k6 in PATH (https://k6.io; it is in no Debian archive)";
    case job_type::playwright:
      break;
  }
  if (tools.npx.empty()) return "no npx in PATH (Debian: npm)";
  if (with.playwright_modules.empty()) return "playwright.modules names no node_modules directory";
  if (!exists(with.playwright_modules + "/@playwright/test/package.json"))
    return "no @playwright/test in " + with.playwright_modules + " (npm install @playwright/test)";
  if (!with.playwright_browser.empty() && !is_program(with.playwright_browser))
    return "playwright.browser is no program: " + with.playwright_browser;
  return {};
}

label_choice choose_labels(toolbox const& tools, settings const& with) {
  label_choice out;
  for (auto const t : job_types) {
    std::string const label(to_string(t));
    bool const asked = std::find(with.labels.begin(), with.labels.end(), label) != with.labels.end();
    if (!asked && !with.labels.empty()) continue;
    auto const missing = missing_tool(t, tools, with);
    if (missing.empty()) {
      out.labels.push_back(label);
    } else if (asked) {
      out.problems.push_back("labels: " + label + " cannot be run: " + missing);
    } else {
      out.left_out.push_back(label + ": " + missing);
    }
  }
  if (out.labels.empty() && out.problems.empty()) out.problems.emplace_back("labels: no job type can be run here");
  return out;
}

}  // namespace svc::runner
