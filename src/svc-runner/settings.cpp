#include "svc-runner/settings.hpp"

#include "svc-runner/client/http_connection.hpp"
#include "svc-runner/tools.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/file_problem.hpp"
#include "svc/core/joined.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace svc::runner {
namespace {

constexpr std::int64_t day = 24LL * 3600 * 1000;
// Well below one minute, because the service itself ends a run one minute after its time limit.
constexpr std::int64_t longest_grace = 30'000;
constexpr std::size_t longest_name = 100;
constexpr std::size_t largest_token_file = 4096;

bool is_absolute(std::string_view path) {
  return path.empty() || (path.starts_with('/') && path.find('\0') == std::string_view::npos);
}

constexpr text_form a_path{is_absolute, "an absolute path"};
constexpr text_form paths{[](std::string_view text) { return !text.empty() && is_absolute(text); },
                          "a list of absolute paths; in a variable separated by commas"};
constexpr text_form a_name{
    [](std::string_view text) { return text.size() <= longest_name && text.find('\0') == std::string_view::npos; },
    "text of at most 100 characters"};
constexpr text_form a_mode{
    [](std::string_view text) { return text == "auto" || text == "bubblewrap" || text == "none"; },
    "auto, bubblewrap or none"};

#define SVC_AT(path) target_in<settings>([](settings& s) -> auto& { return s.path; })

constexpr std::array table{
    setting{"url", SVC_AT(url), "Internal listener of the service: https://HOST:PORT, or unix:/PATH"},
    setting{"ca_file", SVC_AT(ca_file), "PEM file with the authorities to trust; empty: the system's"},
    setting{"token", SVC_AT(token), "Runner token; prefer token_file"},
    setting{"token_file", SVC_AT(token_file), "File with the token, which other users cannot read"},
    setting{"name", SVC_AT(name), "Name of this runner in the service; empty: the host name", 0, 0, &a_name},
    setting{"labels", SVC_AT(labels),
            "Job types to run (command, playwright, k6); empty: every type whose tool is installed"},
    setting{"concurrency", SVC_AT(concurrency), "Runs at the same time", 1, 1000},
    setting{
        "work_dir", SVC_AT(work_dir),
        "Parent of the directories of runs; empty: /var/lib/svc-runner for root, otherwise ~/.local/share/svc-runner",
        0, 0, &a_path},
    setting{"grace", SVC_AT(grace), "Time that runs in progress have to finish after SIGTERM", 0, day},
    setting{"allow_network", SVC_AT(allow_network), "Whether scripts may use this machine's network"},
    setting{"log.level", SVC_AT(log_level), "Lowest level that is written", 0, 0, &forms::log_level},
    setting{"sandbox.mode", SVC_AT(sandbox),
            "bubblewrap: no start without it; auto: bubblewrap if it works, otherwise limits only", 0, 0, &a_mode},
    setting{"sandbox.read_only", SVC_AT(read_only), "Further paths that scripts can read but not write", 0, 0,
            &paths},
    setting{
        "sandbox.first_uid", SVC_AT(first_uid),
        "For a runner that root starts: first of the user IDs for runs, one for each slot; IDs in use are skipped",
        1000, 2'147'000'000},
    setting{"limits.memory_mb", SVC_AT(limits.memory_mb), "Memory of the processes of a test, in MiB", 16, 1'048'576},
    setting{"limits.processes", SVC_AT(limits.processes), "Processes and threads of a test", 4, 100'000},
    setting{"limits.cpu_percent", SVC_AT(limits.cpu_percent), "CPU time of a test; 100 is one core", 5, 100'000},
    setting{"limits.file_mb", SVC_AT(limits.file_mb), "Largest file that a test may write, in MiB", 1, 1'048'576},
    setting{"limits.disk_mb", SVC_AT(limits.disk_mb),
            "Size in MiB of a run's directory, and of its /tmp and its /dev/shm, each in memory; 0: an unlimited "
            "directory on the disk of work_dir",
            0, 1'048'576},
    setting{"limits.timeout", SVC_AT(limits.timeout), "Upper bound for the time limit of a run; 0s: none", 0,
            7 * day},
    setting{"limits.timeout_grace", SVC_AT(limits.timeout_grace),
            "Time between SIGTERM and SIGKILL for a test that exceeds its time limit; 0s: SIGKILL at once", 0,
            longest_grace},
    setting{"limits.cancel_grace", SVC_AT(limits.cancel_grace),
            "The same for a cancelled test; above 1s, cancelling may take longer than two seconds", 0, longest_grace},
    setting{"limits.output_lines", SVC_AT(limits.output_lines), "Lines kept from the output of a run", 10, 1'000'000},
    setting{"limits.output_kb", SVC_AT(limits.output_kb), "Size of the output kept from a run, in KiB", 1, 1'048'576},
    setting{"limits.secret_kb", SVC_AT(limits.secret_kb),
            "Size of the secret variables of a run, in KiB; a run with more ends with an error; masking takes 40 "
            "times as much memory",
            1, 16'384},
    setting{"playwright.modules", SVC_AT(playwright_modules), "node_modules directory with @playwright/test", 0, 0,
            &a_path},
    setting{"playwright.browser", SVC_AT(playwright_browser),
            "Browser to start; empty: Playwright's own in modules, otherwise chromium in PATH", 0, 0, &a_path},
};

#undef SVC_AT

using problem_list = std::vector<std::string>;

/// The file contains only the token. Scripts, which may run as another user, must not be able to read it.
void read_token(settings& into, problem_list& problems) {
  if (into.token_file.empty()) return;
  if (!into.token.empty()) {
    problems.emplace_back("token_file: set either this or token");
    return;
  }
  struct stat about{};
  std::ifstream file(into.token_file, std::ios::binary);
  auto problem = file_problem(into.token_file);
  if (!problem && (!file || ::stat(into.token_file.c_str(), &about) != 0)) problem = "cannot be read";
  if (problem) {
    problems.push_back("token_file: " + into.token_file + " " + *problem);
    return;
  }
  if ((about.st_mode & 077) != 0 && (about.st_uid != 0 || (about.st_mode & 027) != 0)) {
    problems.push_back("token_file: others may read it (chmod 600): " + into.token_file);
    return;
  }
  std::string text(largest_token_file, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  into.token = secret_string(std::move(text));
}

void complete(settings& into, settings_sources const& sources) {
  if (into.name.empty()) {
    std::array<char, 256> host{};
    into.name = ::gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0' ? host.data() : "svc-runner";
  }
  if (into.work_dir.empty() && sources.root) into.work_dir = "/var/lib/svc-runner";
  if (into.work_dir.empty() && sources.home.starts_with('/'))
    into.work_dir = sources.home + "/.local/share/svc-runner";
}

bool is_word_token(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

std::string unknown_job_type(std::string const& label) {
  std::vector<std::string> known;
  for (auto const type : job_types) known.emplace_back(to_string(type));
  auto const meant = nearest_word(label, known);
  return "no such job type: " + label + "; " +
         (meant.empty() ? "there are " + joined(known, ", ") : "did you mean " + meant + "?");
}

void check(settings const& s, problem_list& problems) {
  if (!parse_endpoint(s.url))
    problems.emplace_back(
        s.url.empty()
            ? "url: must be set to the internal listener of the service: https://HOST[:PORT] or unix:/PATH"
            : "url: must be https://HOST[:PORT] or unix:/PATH (http:// to this machine's loopback address only)");
  if (s.token.empty()) {
    if (s.token_file.empty()) problems.emplace_back("token_file: must be set, or token (svcd admin create-runner)");
  } else if (!s.token.reveal().starts_with("svc_runner_") || !is_word_token(s.token.reveal())) {
    problems.push_back((s.token_file.empty() ? "token: must be" : "token_file: " + s.token_file + " must hold") +
                       std::string(" a runner token (svc_runner_..., from svcd admin create-runner)"));
  }
  for (auto const& label : s.labels)
    if (!find_job_type(label)) problems.push_back("labels: " + unknown_job_type(label));
  if (s.work_dir.empty()) problems.emplace_back("work_dir: must be set, because HOME is not");
  if (s.ca_file.empty()) return;
  if (auto const problem = file_problem(s.ca_file)) problems.push_back("ca_file: " + s.ca_file + " " + *problem);
}

}  // namespace

settings_table const& runner_settings() {
  static settings_table const all{.prefix = "SVC_RUNNER_", .all = table, .listing = "svc-runner --help"};
  return all;
}

sandbox_mode settings::mode() const {
  if (sandbox == "none") return sandbox_mode::none;
  return sandbox == "bubblewrap" ? sandbox_mode::bubblewrap : sandbox_mode::automatic;
}

log::level settings::least() const {
  auto out = log::level::info;
  log::parse_level(log_level, out);
  return out;
}

loaded_settings load_settings(settings_sources const& sources) {
  loaded_settings out;
  settings_reader reader(runner_settings(), &out.values);
  reader.file = sources.file;
  auto const file_values = sources.file.empty() ? std::vector<raw_value>() : read_toml(sources.file, reader.problems);
  if (reader.problems.empty()) {
    for (auto const& value : file_values) reader.file_value(value);
    reader.environment(sources.environment);
    problem_list found;
    read_token(out.values, found);
    complete(out.values, sources);
    check(out.values, found);
    reader.add(found);
  }
  out.problems = std::move(reader.problems);
  out.warnings = std::move(reader.warnings);
  return out;
}

}  // namespace svc::runner
