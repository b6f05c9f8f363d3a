#include "svc-runner/adapter.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace svc::runner {

namespace {

// Chromium's own sandbox needs namespaces, which are forbidden inside ours.
constexpr std::string_view config_script = R"js(// Written by svc-runner.
const browser = process.env.SVC_RUNNER_BROWSER;
module.exports = {
  testDir: './tests',
  outputDir: './results',
  reporter: [['list'], ['./svc-runner-reporter.js']],
  forbidOnly: false,
  retries: 0,
  workers: 1,
  use: {
    headless: true,
    launchOptions: { chromiumSandbox: false, ...(browser && { executablePath: browser }) },
  },
};
)js";

constexpr std::string_view reporter_script = R"js(// Written by svc-runner: reports the failures in short.
const { writeFileSync } = require('node:fs');
const plain = text => String(text ?? '').replace(/\x1b\[[0-9;]*m/g, '').trim();
module.exports = class {
  failures = [];
  add(name, error) {
    const text = plain(error && (error.message ?? error.value));
    this.failures.push((name ? `${name}: ` : '') + (text || 'failed'));
  }
  onError(error) { this.add('', error); }
  onTestEnd(test, result) {
    if (test.outcome() !== 'unexpected') return;
    this.add(test.titlePath().slice(3).join(' > '), result.errors[0]);
  }
  onEnd() {
    if (this.failures.length) writeFileSync('svc-runner-failures.txt', this.failures.join('\n') + '\n');
  }
  printsToStdio() { return false; }
};
)js";

constexpr char const* failures_file = "svc-runner-failures.txt";
// Far more than is shown: a secret that is cut at this limit would not be recognized and masked.
constexpr std::size_t longest_failures = 64UL * 1024;

bool exists(std::string const& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

bool brings_browsers(settings const& settings) {
  return exists(settings.playwright_modules + "/playwright-core/.local-browsers");
}

command_line with_playwright(toolbox const& tools, settings const& settings) {
  command_line out;
  out.environment = {{"CI", "1"}, {"NO_COLOR", "1"}, {"npm_config_update_notifier", "false"}};
  // npx looks for node in PATH; both are in the same directory.
  out.path = tools.npx.substr(0, tools.npx.rfind('/'));
  out.read_only.push_back(settings.playwright_modules);
  if (auto const browser = playwright_browser(tools, settings); !browser.empty()) {
    out.environment.emplace_back("SVC_RUNNER_BROWSER", browser);
    out.read_only.push_back(browser);
  } else {
    out.environment.emplace_back("PLAYWRIGHT_BROWSERS_PATH", "0");
  }
  return out;
}

}  // namespace

std::string playwright_browser(toolbox const& tools, settings const& settings) {
  if (!settings.playwright_browser.empty()) return settings.playwright_browser;
  return brings_browsers(settings) ? std::string() : tools.chromium;
}

std::string missing_playwright(toolbox const& tools, settings const& settings) {
  if (tools.npx.empty()) return "no npx in PATH (Debian: npm)";
  if (settings.playwright_modules.empty()) return "playwright.modules names no node_modules directory";
  if (!exists(settings.playwright_modules + "/@playwright/test/package.json"))
    return "no @playwright/test in " + settings.playwright_modules +
           " (npm install --ignore-scripts @playwright/test)";
  if (!settings.playwright_browser.empty() && ::access(settings.playwright_browser.c_str(), X_OK) != 0)
    return "playwright.browser is no program: " + settings.playwright_browser;
  if (playwright_browser(tools, settings).empty() && !brings_browsers(settings))
    return "no browser: playwright.browser is not set, no chromium in PATH (Debian: chromium), none in " +
           settings.playwright_modules;
  return {};
}

void prepare_playwright(settings const& settings, scratch const& directory) {
  directory.directory("tests");
  directory.write("playwright.config.js", config_script);
  directory.write("svc-runner-reporter.js", reporter_script);
  directory.link("node_modules", settings.playwright_modules);
}

std::string playwright_file(std::string const& name) {
  return "tests/" + name + ".spec.ts";
}

command_line playwright_command(toolbox const& tools, settings const& settings, std::string const& file) {
  auto out = with_playwright(tools, settings);
  out.arguments = {tools.npx, "--no-install", "playwright", "test", "--config=playwright.config.js", file};
  return out;
}

command_line playwright_versions(toolbox const& tools, settings const& settings) {
  auto out = with_playwright(tools, settings);
  out.arguments = {tools.shell, "-c",
                   "\"$0\" --no-install playwright --version && "
                   "{ [ -z \"$SVC_RUNNER_BROWSER\" ] || \"$SVC_RUNNER_BROWSER\" --version; }",
                   tools.npx};
  return out;
}

std::string playwright_failures(scratch const& directory) {
  auto out = directory.take(failures_file, longest_failures);
  if (out.size() == longest_failures) out.resize(out.rfind('\n') + 1);
  return out;
}

namespace {

constexpr std::string_view system_path = "/usr/local/bin:/usr/bin:/bin";

std::string path_with(std::string const& more) {
  bool const known =
      more.empty() || (":" + std::string(system_path) + ":").find(":" + more + ":") != std::string::npos;
  return known ? std::string(system_path) : more + ":" + std::string(system_path);
}

void complete_environment(command_line& line, scratch const& directory, std::string const& seen) {
  environment_list const common{{"PATH", path_with(line.path)},
                                {"HOME", seen},
                                {"LANG", "C.UTF-8"},
                                {"TMPDIR", seen == directory.path() ? seen : "/tmp"}};
  line.environment.insert(line.environment.begin(), common.begin(), common.end());
}

std::string file_of_test(job_type type, std::size_t number) {
  auto const name = "test-" + std::to_string(number);
  if (type == job_type::playwright) return playwright_file(name);
  return name + (type == job_type::k6 ? ".js" : ".sh");
}

}  // namespace

void prepare_run(job_type type, settings const& settings, scratch const& directory,
                 std::vector<test_script> const& tests) {
  if (type == job_type::playwright) prepare_playwright(settings, directory);
  for (std::size_t i = 0; i < tests.size(); ++i) directory.write(file_of_test(type, i + 1), *tests[i].script);
}

command_line test_command(job_type type, toolbox const& tools, settings const& settings, scratch const& directory,
                          std::string const& seen, std::size_t number) {
  auto const file = file_of_test(type, number);
  command_line out;
  if (type == job_type::playwright) {
    out = playwright_command(tools, settings, file);
  } else if (type == job_type::k6) {
    out.arguments = {tools.k6, "run", file};
    out.environment = {{"K6_NO_USAGE_REPORT", "true"}};
    out.read_only.push_back(tools.k6);
  } else {
    out.arguments = {tools.shell, file};
  }
  complete_environment(out, directory, seen);
  return out;
}

command_line prepare_trial(toolbox const& tools, settings const& settings, scratch const& directory,
                           std::string const& seen) {
  prepare_playwright(settings, directory);
  auto out = playwright_versions(tools, settings);
  complete_environment(out, directory, seen);
  return out;
}

std::string failures_of(job_type type, scratch const& directory) {
  return type == job_type::playwright ? playwright_failures(directory) : std::string();
}

outcome outcome_of(job_type type, int exit_code) {
  if (exit_code == 0) return outcome::passed;
  // k6: 99 thresholds not met, 107 exception in the script, 108 aborted by the script; all others are errors of k6.
  if (type == job_type::k6 && exit_code != 99 && exit_code != 107 && exit_code != 108) return outcome::error;
  return outcome::failed;
}

std::string describe_exit(int exit_code, bool out_of_memory) {
  auto const signal = exit_code - 128;
  if (signal <= 0 || signal > 64) return "exit code " + std::to_string(exit_code);
  auto const* const name = ::sigabbrev_np(signal);
  auto out = "ended by signal " + std::to_string(signal);
  if (name != nullptr) out += " (SIG" + std::string(name) + ")";
  if (signal == SIGKILL && !out_of_memory)
    out +=
        ", not by this runner: the script may have sent it, the machine may have run out of memory (see its kernel "
        "log), or another program of the machine sent it";
  return out;
}

}  // namespace svc::runner
