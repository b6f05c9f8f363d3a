#include "svc-runner/adapter.hpp"

#include "svc-runner/playwright.hpp"

namespace svc::runner {
namespace {

constexpr std::string_view system_path = "/usr/local/bin:/usr/bin:/bin";

std::string path_with(std::string const& more) {
  bool const known =
      more.empty() || (":" + std::string(system_path) + ":").find(":" + more + ":") != std::string::npos;
  return known ? std::string(system_path) : more + ":" + std::string(system_path);
}

void complete_environment(command_line& of, scratch const& place, std::string const& seen) {
  environment_list const common{{"PATH", path_with(of.path)},
                                {"HOME", seen},
                                {"LANG", "C.UTF-8"},
                                {"TMPDIR", seen == place.path() ? seen : "/tmp"}};
  of.environment.insert(of.environment.begin(), common.begin(), common.end());
}

std::string file_of_test(job_type type, std::size_t number) {
  auto const name = "test-" + std::to_string(number);
  if (type == job_type::playwright) return playwright_file(name);
  return name + (type == job_type::k6 ? ".js" : ".sh");
}

}  // namespace

void prepare_run(job_type type, settings const& with, scratch const& place, std::vector<test_script> const& tests) {
  if (type == job_type::playwright) prepare_playwright(with, place);
  for (std::size_t i = 0; i < tests.size(); ++i) place.write(file_of_test(type, i + 1), tests[i].script);
}

command_line test_command(job_type type, toolbox const& tools, settings const& with, scratch const& place,
                          std::string const& seen, std::size_t number) {
  auto const file = file_of_test(type, number);
  command_line out;
  if (type == job_type::playwright) {
    out = playwright_command(tools, with, file);
  } else if (type == job_type::k6) {
    out.arguments = {tools.k6, "run", file};
    out.environment = {{"K6_NO_USAGE_REPORT", "true"}};
    out.read_only.push_back(tools.k6);
  } else {
    out.arguments = {tools.shell, file};
  }
  complete_environment(out, place, seen);
  return out;
}

command_line prepare_trial(toolbox const& tools, settings const& with, scratch const& place,
                           std::string const& seen) {
  prepare_playwright(with, place);
  auto out = playwright_versions(tools, with);
  complete_environment(out, place, seen);
  return out;
}

std::string failures_of(job_type type, scratch const& place) {
  return type == job_type::playwright ? playwright_failures(place) : std::string();
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
