#include "svc-runner/settings.hpp"

#include <array>
#include <cctype>

namespace svc::runner {

sandbox_mode settings::mode() const {
  if (sandbox == "none") return sandbox_mode::none;
  return sandbox == "bubblewrap" ? sandbox_mode::bubblewrap : sandbox_mode::automatic;
}

log::level settings::least() const {
  auto out = log::level::info;
  log::parse_level(log_level, out);
  return out;
}

std::string setting::variable() const {
  std::string out = "SVC_RUNNER_";
  for (char const c : name) out += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::vector<setting> const& all_settings() {
  constexpr std::int64_t day = 24LL * 3600 * 1000;
  // The service ends a run by itself a minute behind its time.
  constexpr std::int64_t longest_grace = 30'000;
  static std::vector<setting> const all{
      {"url", &settings::url, "the service's internal listener: https://HOST:PORT, or unix:/PATH"},
      {"ca_file", &settings::ca_file, "PEM of whom to trust; empty: the system's authorities"},
      {"token", &settings::token, "executor token; better in token_file"},
      {"token_file", &settings::token_file, "file that holds the token, closed to others"},
      {"name", &settings::name, "how the service calls this executor; empty: the host's name"},
      {"labels", &settings::labels, "job types to run (command, playwright, k6); empty: all whose tool is found"},
      {"concurrency", &settings::concurrency, "runs at the same time", 1, 1000},
      {"work_dir", &settings::work_dir, "where runs get their directories"},
      {"grace", &settings::grace, "after SIGTERM running runs may finish for so long", 0, day},
      {"log.level", &settings::log_level, "debug, info, warn, error or off"},
      {"allow_network", &settings::allow_network, "scripts may use this machine's network"},
      {"sandbox.mode", &settings::sandbox, "auto, bubblewrap (or no start) or none"},
      {"sandbox.read_only", &settings::read_only, "further paths that scripts see, read-only"},
      {"sandbox.first_uid", &settings::first_uid,
       "as root: first of the user ids that runs get, one a slot; those in use are passed over", 1000, 2'147'000'000},
      {"limits.memory_mb", &run_limits::memory_mb, "memory of a test's processes, MiB", 16, 1'048'576},
      {"limits.processes", &run_limits::processes, "processes and threads of a test", 4, 100'000},
      {"limits.cpu_percent", &run_limits::cpu_percent, "CPU of a test; 100 is one core", 5, 100'000},
      {"limits.file_mb", &run_limits::file_mb, "largest file of a test, MiB", 1, 1'048'576},
      {"limits.disk_mb", &run_limits::disk_mb,
       "MiB of a run's directory, of its /tmp and of its /dev/shm each, in memory; 0: a directory on work_dir's disk",
       0, 1'048'576},
      {"limits.timeout", &run_limits::timeout, "upper bound of a run's own; 0s: none", 0, 7 * day},
      {"limits.timeout_grace", &run_limits::timeout_grace,
       "between SIGTERM and SIGKILL of a test that is over its time; 0s: SIGKILL at once", 0, longest_grace},
      {"limits.cancel_grace", &run_limits::cancel_grace,
       "the same of a cancelled one; above 1s cancelling may take longer than two seconds", 0, longest_grace},
      {"limits.output_lines", &run_limits::output_lines, "lines of output kept of a run", 10, 1'000'000},
      {"limits.output_kb", &run_limits::output_kb, "output kept of a run, KiB", 1, 1'048'576},
      {"limits.secret_kb", &run_limits::secret_kb,
       "secret variables of a run, KiB; one with more ends with an error. Takes 40 times as much memory", 1, 16'384},
      {"playwright.modules", &settings::playwright_modules, "node_modules directory with @playwright/test"},
      {"playwright.browser", &settings::playwright_browser,
       "the browser's program; empty: Playwright's own in modules, else chromium in PATH"},
  };
  return all;
}

}  // namespace svc::runner
