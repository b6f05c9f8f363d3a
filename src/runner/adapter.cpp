#include "runner/adapter.hpp"

namespace svc::runner {
namespace {

constexpr std::string_view playwright_config = R"js(// Written by svc-runner.
const browser = process.env.SVC_RUNNER_BROWSER;
module.exports = {
  testDir: './tests',
  outputDir: './results',
  reporter: 'line',
  retries: 0,
  workers: 1,
  use: {
    headless: true,
    launchOptions: browser ? { executablePath: browser, args: ['--no-sandbox', '--disable-gpu'] } : {},
  },
};
)js";

command_line playwright_test(toolbox const& tools, settings const& with, scratch const& place,
                             std::string const& name, test_script const& test) {
  place.write("tests/" + name + ".spec.ts", test.script);
  command_line out;
  out.arguments = {
      tools.npx, "--no-install", "playwright", "test", "--config=playwright.config.js", "tests/" + name + ".spec.ts"};
  out.environment = {{"CI", "1"}, {"npm_config_update_notifier", "false"}};
  if (!with.playwright_browser.empty()) {
    out.environment.emplace_back("SVC_RUNNER_BROWSER", with.playwright_browser);
    out.read_only.push_back(with.playwright_browser);
  }
  out.read_only.push_back(with.playwright_modules);
  return out;
}

}  // namespace

void prepare_run(job_type type, settings const& with, scratch const& place) {
  if (type != job_type::playwright) return;
  place.directory("tests");
  place.write("playwright.config.js", playwright_config);
  place.link("node_modules", with.playwright_modules);
}

command_line prepare_test(job_type type, toolbox const& tools, settings const& with, scratch const& place,
                          std::string const& seen, std::size_t number, test_script const& test) {
  auto const name = "test-" + std::to_string(number);
  command_line out;
  if (type == job_type::playwright) {
    out = playwright_test(tools, with, place, name, test);
  } else if (type == job_type::k6) {
    place.write(name + ".js", test.script);
    out.arguments = {tools.k6, "run", name + ".js"};
    out.environment = {{"K6_NO_USAGE_REPORT", "true"}};
    out.read_only.push_back(tools.k6);
  } else {
    place.write(name + ".sh", test.script);
    out.arguments = {tools.shell, name + ".sh"};
  }
  environment_list const common{{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                {"HOME", seen},
                                {"LANG", "C.UTF-8"},
                                {"TMPDIR", seen == place.path() ? seen : "/tmp"}};
  out.environment.insert(out.environment.begin(), common.begin(), common.end());
  return out;
}

outcome outcome_of(job_type type, int exit_code) {
  if (exit_code == 0) return outcome::passed;
  // k6: 99 thresholds not met, 107 exception in the script, 108 aborted by the script; all else is k6's own trouble.
  if (type == job_type::k6 && exit_code != 99 && exit_code != 107 && exit_code != 108) return outcome::error;
  return outcome::failed;
}

std::string describe_exit(int exit_code) {
  if (exit_code > 128 && exit_code < 128 + 65) return "ended by signal " + std::to_string(exit_code - 128);
  return "exit code " + std::to_string(exit_code);
}

}  // namespace svc::runner
