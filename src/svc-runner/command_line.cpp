// The options of svc-runner.

#include "svc-runner/command_line.hpp"

#include "svc-runner/isolation/scratch.hpp"
#include "svc-runner/job_runner.hpp"
#include "svc-runner/noop.hpp"
#include "svc/core/build_info.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/file_problem.hpp"
#include "svc/core/uuid.hpp"

#include <CLI/CLI.hpp>

#include <boost/asio/co_spawn.hpp>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

namespace svc::runner {
namespace {

constexpr int bad_usage = 2;
/// The file that is read when no other one is named, if it exists.
constexpr char const* usual_file = "/etc/svc-runner/runner.toml";
constexpr char const* own_program = "/proc/self/exe";
constexpr char const* bash_completion =
    "complete -o default -W '--config --check-config --connect --completion --version --help' svc-runner\n";

void say(std::string const& sentence) {
  std::cerr << "svc-runner: " + sentence + "\n";
}

/// Scripts may run as our user: they must not read our memory, and no core dump may contain the token. Daemons whose
/// supervisor was killed become our children and not init's.
void protect_ourselves() {
  rlimit const none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/// Copies our variables, and wipes the token from the initial environment, which the kernel shows in /proc.
std::vector<std::string> take_environment() {
  constexpr std::string_view token = "SVC_RUNNER_TOKEN=";
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("SVC_RUNNER_")) out.emplace_back(*entry);
    if (std::string_view(*entry).starts_with(token))
      ::explicit_bzero(*entry + token.size(), std::strlen(*entry) - token.size());
  }
  return out;
}

std::string variable(char const* name, char const* otherwise) {
  char const* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

std::string keys_text() {
  std::string out = "\nKeys of the configuration file, and their variables:\n";
  for (auto const& s : runner_settings().all)
    out += "  " + std::string(s.name) + " (" + runner_settings().variable(s.name) + ")\n      " +
           std::string(s.help) + "\n";
  return out;
}

/// Asks for work as a runner that the service does not know. The answer shows that address, TLS and token are right,
/// and changes nothing there. Returns the problem.
std::optional<std::string> connection_problem(settings const& settings) {
  asio::io_context io;
  auto tls = make_client_tls(settings.ca_file);
  service_client service(io, *parse_endpoint(settings.url), tls, settings.token);
  std::optional<std::string> out;
  auto const fail = [&](std::exception_ptr failure, http_reply const& reply) {
    try {
      if (failure) std::rethrow_exception(failure);
      bool const known_route = reply.status == 200 ||
                               (reply.status == 404 && read_error(reply.body).starts_with("not_found:")) ||
                               reply.status == 409;
      if (!known_route)
        out = "url: no runner API answers there (status " + std::to_string(reply.status) +
              "): it must name a listener with kind = \"internal\"";
    } catch (token_refused const& e) {
      out = (settings.token_file.empty() ? "token: " : "token_file: ") + std::string(e.what());
    } catch (std::exception const& e) {
      out = std::string("url: not reached: ") + e.what();
    }
  };
  asio::co_spawn(io,
                 service.post("/internal/v1/claim",
                              claim_body(uuid::generate_v7().to_string(), {"command"}, 1, 0, false), usual_patience),
                 fail);
  io.run();
  return out;
}

int tell_connection(settings const& settings) {
  auto const problem = connection_problem(settings);
  if (problem)
    say(*problem);
  else
    std::cout << "the service at " << settings.url << " accepts the token\n";
  return problem ? 1 : 0;
}

/// Logs the findings of the start.
void print_setup(isolation const& isolation, label_choice const& chosen, settings const& settings,
                 std::string const& file) {
  std::string labels;
  for (auto const& label : chosen.labels) labels += (labels.empty() ? "" : ",") + label;
  log::info("starting", {{"version", this_build().version},
                         {"configuration", file},
                         {"isolation", isolation.describe()},
                         {"labels", labels},
                         {"network", settings.allow_network ? "allowed"
                                     : isolation.bubblewrap ? "none"
                                                            : "not closed"}});
  for (auto const& each : chosen.left_out) log::info("job type left out", {{"reason", each}});
  for (auto const& each : isolation.warnings(settings)) log::warn("isolation is not complete", {{"reason", each}});
}

int serve(settings const& settings, toolbox const& tools, std::vector<std::string> const& labels,
          isolation const& isolation) {
  asio::io_context io;
  auto tls = make_client_tls(settings.ca_file);
  service_client service(io, *parse_endpoint(settings.url), tls, settings.token);
  launcher processes(io, own_program);
  asio::thread_pool builders(1);
  job_runner* self = nullptr;
  claim_keeper keeper(io, service);
  gathered_calls outputs(io, service, "/internal/v1/outputs"), completions(io, service, "/internal/v1/completions");
  script_source scripts(io, service);
  run_context context{io,        service,  keeper, outputs,   completions, scripts,
                      processes, settings, tools,  isolation, builders,    [&self] { return self->hopeless(); }};
  job_runner runner(io, context, settings, labels);
  self = &runner;
  int code = 1;
  try {
    code = runner.run();
  } catch (std::exception const& e) {
    log::error("ending", {{"reason", e.what()}});
  }
  // This precedes the removal of the runs' directories, because running processes would write into them.
  processes.end_all();
  return code;
}

struct arguments {
  std::string config{};
  bool check = false;
  bool connect = false;
  bool completion = false;
  int noop = 0;
  bool realistic = false, lasting = false;
};

#ifdef SVC_RUNNER_NOOP
noop_runs runs_of(arguments const& given) {
  if (given.lasting) return noop_runs::lasting;
  return given.realistic ? noop_runs::realistic : noop_runs::empty;
}
#endif

int start(arguments const& given) {
  if (given.completion) {
    std::cout << bash_completion;
    return 0;
  }
  settings_sources sources;
  sources.file = given.config.empty() && may_exist(usual_file) ? usual_file : given.config;
  sources.environment = take_environment();
  sources.home = variable("HOME", "");
  sources.root = ::geteuid() == 0;
  auto const loaded = load_settings(sources);
  for (auto const& warning : loaded.warnings) say("warning: " + warning);
  if (!loaded.problems.empty() && sources.file.empty())
    say("no file was read: " + std::string(usual_file) +
        " does not exist, and --config names no other one; `svc-runner --help` lists all keys and variables");
  for (auto const& problem : loaded.problems) say(problem);
  if (!loaded.problems.empty()) return bad_usage;
  auto const& settings = loaded.values;
#ifdef SVC_RUNNER_NOOP
  if (given.noop > 0) return run_noop(settings, given.noop, runs_of(given));
#endif
  auto const tools = find_tools(variable("PATH", "/usr/local/bin:/usr/bin:/bin"));
  auto chosen = choose_labels(tools, settings);
  for (auto const& problem : chosen.problems) say(problem);
  if (!chosen.problems.empty()) return bad_usage;
  bool const own_mounts = settings.limits.disk_mb > 0 && take_own_mounts();
  make_work_directory(settings.work_dir);
  auto const isolation =
      find_isolation(tools, settings, {settings.token_file, sources.file}, own_program, own_mounts);
  drop_labels(chosen, settings, [&](job_type t) { return try_job_type(t, isolation, tools, settings, own_program); });
  for (auto const& problem : chosen.problems) say(problem);
  if (!chosen.problems.empty()) return bad_usage;
  if (given.check) {
    std::cout << "the configuration is valid: " << (sources.file.empty() ? "no file" : sources.file)
              << (sources.environment.empty() ? "" : ", and the variables SVC_RUNNER_*")
              << "; isolation: " << isolation.describe() << "\njob types:";
    for (auto const& label : chosen.labels) std::cout << " " << label;
    std::cout << "\n";
    for (auto const& each : chosen.left_out) std::cout << "left out: " << each << "\n";
    for (auto const& each : isolation.warnings(settings)) std::cout << "warning: " << each << "\n";
    return given.connect ? tell_connection(settings) : 0;
  }
  log::start(settings.least());
  print_setup(isolation, chosen, settings, sources.file);
  remove_abandoned(settings.work_dir);
  auto const code = serve(settings, tools, chosen.labels, isolation);
  log::stop();
  return code;
}

/// Help and the version are no mistakes.
int end_of_parse(CLI::App& root, CLI::ParseError const& error) {
  if (error.get_exit_code() == 0) return root.exit(error);
  std::cerr << explain_usage(root, error).lines("svc-runner");
  return bad_usage;
}

}  // namespace

int run_command_line(int argc, char const* const* argv) {
  protect_ourselves();
  arguments given;
  CLI::App root("Runs the jobs of a project automation service on this machine.", "svc-runner");
  root.set_version_flag("--version", version_text("svc-runner"));
  root.formatter(plain_help());
  root.add_subcommand("help", "Show this help");
  root.add_option(
          "--config", given.config,
          "TOML file, which SVC_RUNNER_* variables override; if not given, /etc/svc-runner/runner.toml if it exists")
      ->type_name("FILE");
  root.add_flag("--check-config", given.check,
                "check the configuration, and report all problems and the isolation that works here");
  root.add_flag("--connect", given.connect,
                "with --check-config: also ask the service whether it accepts the token; changes nothing there")
      ->needs("--check-config");
  root.add_flag("--completion", given.completion, "print a completion script for bash");
#ifdef SVC_RUNNER_NOOP
  root.add_option("--noop", given.noop,
                  "act as N runners that complete each run without running it, to measure the service")
      ->type_name("N")
      ->check(CLI::Range(1, 64));
  root.add_flag("--realistic", given.realistic, "with --noop: one heartbeat and 20 lines of output for each run");
  root.add_flag("--lasting", given.lasting,
                "with --noop: the same, but the lines are sent in two batches before the end of the run");
#endif
  root.footer(keys_text() +
              "\nExample:\n  svc-runner --config /etc/svc-runner/runner.toml\n\n"
              "Exit codes: 0 done, 1 failed, 2 wrong arguments or configuration.");
  try {
    root.parse(argc, argv);
    if (!root.get_subcommands().empty()) {
      std::cout << help_of(root, {}).text;
      return 0;
    }
    return start(given);
  } catch (CLI::ParseError const& e) {
    return end_of_parse(root, e);
  } catch (std::exception const& e) {
    say(e.what());
    return 1;
  }
}

}  // namespace svc::runner
