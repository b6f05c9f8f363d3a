// This file has the tree of commands of svcd, except that of `svcd admin`.

#include "app/command_line.hpp"

#include "app/admin/admin.hpp"
#include "app/application.hpp"
#include "app/configuration/configuration.hpp"
#include "app/configuration/connection_checks.hpp"
#include "app/configuration/file_warnings.hpp"
#include "app/dev/dev.hpp"
#include "app/migrations/database_check.hpp"
#include "app/migrations/migrator.hpp"
#include "app/process/dashboard_directory.hpp"
#include "svc/core/build_info.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/file_problem.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace svc::app {
namespace {

/// Adds a `case` arm for each command to `out` (its path, and the words that may follow it), and its path to the
/// pattern `paths`.
void add_arms(CLI::App const& app, std::string const& path, std::string& out, std::string& paths) {
  std::string words;
  for (auto const* option : app.get_options())
    for (auto const& name : option->get_lnames()) words += " --" + name;
  for (auto const* command : app.get_subcommands([](CLI::App const*) { return true; })) {
    words += " " + command->get_name();
    add_arms(*command, path + " " + command->get_name(), out, paths);
  }
  paths += (paths.empty() ? "'" : "|'") + path + "'";
  out += "    '" + path + "') words='" + words + "' ;;\n";
}

std::string bash_completion(CLI::App const& root) {
  std::string arms;
  std::string paths;
  add_arms(root, root.get_name(), arms, paths);
  return R"sh(# Completion of svcd for bash; made by `svcd completion bash`.
_svcd() {
  local current="${COMP_WORDS[COMP_CWORD]}" path="svcd" words="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in )sh" +
         paths + R"sh() path="$path $word" ;; esac
  done
  case "$path" in
)sh" + arms +
         R"sh(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ -n "$words" && ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
complete -F _svcd svcd
)sh";
}

constexpr int refused = 2;

/// The parsed options of all subcommands. The object lives as long as the parse and the command.
struct arguments {
  std::string config{};
  std::string listen{};
  std::string admin{};
  dev::dev_options dev{};
  std::string print = "text";
  bool dry_run = false;
  std::int64_t wait_seconds = 60;
  bool defaults = false;
  bool comments = false;
  bool connect = false;
};

void say(std::string const& sentence) {
  std::cerr << "svcd: " + sentence + "\n";
}

configuration_sources sources(arguments const& given) {
  configuration_sources configuration_sources;
  if (!given.config.empty())
    configuration_sources.file = given.config;
  else if (!given.defaults && may_exist(usual_configuration_file))
    configuration_sources.file = usual_configuration_file;
  if (!given.defaults) configuration_sources.environment = process_environment();
  if (!given.listen.empty()) configuration_sources.overrides.emplace_back("listen", given.listen);
  if (!given.admin.empty()) configuration_sources.overrides.emplace_back("admin.address", given.admin);
  return configuration_sources;
}

void say_warning(std::string const& sentence) {
  say("warning: " + sentence);
}

void log_warning(std::string const& sentence) {
  log::warn("the configuration must be changed", {{"reason", sentence}});
}

/// Returns `std::nullopt` when there are problems; all of them have been reported then.
std::optional<configuration> load(arguments const& given, configuration_use use,
                                  void (*warn)(std::string const&) = say_warning) {
  auto loaded = load_configuration(sources(given), use);
  for (auto const& warning : loaded.warnings) warn(warning);
  if (!loaded.problems.empty() && loaded.file.empty())
    say("no file was read: " + std::string(usual_configuration_file) +
        " does not exist, and --config names no other one; `svcd print-config --comments` lists all keys and "
        "variables");
  for (auto const& problem : loaded.problems) say(problem);
  if (!loaded.problems.empty()) return std::nullopt;
  loaded.values.file = loaded.file;
  return std::move(loaded.values);
}

/// Names the sources that decided, for people.
std::string read_from(configuration const& config) {
  return (config.file.empty() ? "no file" : config.file) +
         (process_environment().empty() ? "" : ", and the variables SVC_*");
}

std::optional<configuration> load_for_admin(std::string const& file) {
  arguments given;
  given.config = file;
  return load(given, configuration_use::administering);
}

int run_serve(arguments const& given) {
  auto const config = load(given, configuration_use::serving, log_warning);
  auto const read_again = [&given](configuration_use use) { return load_configuration(sources(given), use); };
  return config ? serve(*config, read_again, {}) : refused;
}

int run_migrate(arguments const& given) {
  auto const config = load(given, configuration_use::migrating);
  if (!config) return refused;
  return migrate(config->migration_url(), given.dry_run, std::chrono::seconds(given.wait_seconds), say);
}

int run_check(arguments const& given) {
  auto const config = load(given, configuration_use::serving);
  if (!config) return refused;
  for (auto const& warning : warn_of_exposure(*config)) say_warning(warning);
  std::cout << "the configuration is valid: " << read_from(*config) << "\n";
  if (!given.connect) return 0;
  bool whole = true;
  for (auto* const check : {check_database, check_redis, check_mail_server}) {
    auto const found = check(*config);
    for (auto const& line : found.facts) std::cout << line + "\n";
    std::cout.flush();
    for (auto const& warning : found.warnings) say_warning(warning);
    for (auto const& problem : found.problems) say(problem);
    whole = whole && found.problems.empty();
  }
  return whole ? 0 : 1;
}

int run_print(arguments const& given) {
  auto const config = load(given, configuration_use::showing);
  if (!config) return refused;
  std::cout << "# " << read_from(*config) << "\n" << print_configuration(*config, given.comments);
  return 0;
}

void add_config_option(CLI::App& app, arguments& into) {
  app.add_option("--config", into.config, config_help)->type_name("FILE");
}

void add_serving_options(CLI::App& app, std::string& listen, std::string& admin) {
  app.add_option("--listen", listen, "address of the public API, over TLS; port 0 picks a free one")
      ->type_name("ADDR:PORT");
  app.add_option("--admin", admin, "address of /metrics, /livez and /readyz, plain HTTP")->type_name("ADDR:PORT");
}

using command = std::function<int()>;

void add_serve(CLI::App& root, arguments& into, command& chosen) {
  auto* const serve = root.add_subcommand("serve", "Serve until SIGTERM or SIGINT");
  add_config_option(*serve, into);
  add_serving_options(*serve, into.listen, into.admin);
  serve->footer(
      "Examples:\n  svcd serve --config /etc/svcd/svcd.toml\n"
      "  SVC_POSTGRES_URL_FILE=/run/secrets/postgres svcd serve --listen 0.0.0.0:8443");
  serve->callback([&] { chosen = [&into] { return run_serve(into); }; });
}

void add_dev(CLI::App& root, arguments& into, command& chosen) {
  auto* const dev = root.add_subcommand("dev", "Serve with private stores, a certificate and sample data");
  dev->add_option("--data-dir", into.dev.data_directory,
                  "directory of all data (root: /var/lib/svcd-dev, else ~/.local/share/svcd-dev)")
      ->type_name("DIR");
  add_serving_options(*dev, into.dev.listen, into.dev.admin);
  dev->get_option("--listen")->capture_default_str();
  dev->get_option("--admin")->capture_default_str();
  dev->add_flag("--reset", into.dev.reset, "empty the data directory first");
  dev->add_flag("!--no-runner", into.dev.runner, "do not start a runner: runs stay queued");
  dev->add_flag("--demo", into.dev.demo, "add monitors and a status page to the sample data, and show alerts here");
  dev->add_option("--print", into.print,
                  "what to print when ready: text; lines, which has more lines to paste; or json on one line")
      ->check(CLI::IsMember({"text", "lines", "json"}))
      ->capture_default_str();
  dev->footer(
      "PostgreSQL and Redis run as another user if root starts them. If that user cannot enter the data\n"
      "directory, their data is in a directory below /var/lib/svcd-dev-stores, which has a file\n"
      "`data-directory` with the path of the data directory. To remove all data, delete both.\n\n"
      "Examples:\n  svcd dev\n  svcd dev --data-dir /tmp/demo --listen 127.0.0.1:0 --print json");
  dev->callback([&] {
    chosen = [&into] {
      into.dev.form = into.print == "json"    ? dev::announcement_form::json
                      : into.print == "lines" ? dev::announcement_form::lines
                                              : dev::announcement_form::text;
      return dev::run(into.dev, process_environment());
    };
  });
}

void add_migrate(CLI::App& root, arguments& into, command& chosen) {
  auto* const migrate = root.add_subcommand("migrate", "Bring the database's schema up to date");
  add_config_option(*migrate, into);
  migrate->add_flag("--dry-run", into.dry_run, "only print what would be applied");
  add_seconds_option(*migrate, "--wait", "how long to wait for the database", {.least = 0, .most = 86'400},
                     [&into](std::int64_t seconds) { into.wait_seconds = seconds; })
      ->default_str("1m");
  migrate->footer(
      "Uses postgres.migrate_url if it is set, otherwise postgres.url.\n\nExamples:\n"
      "  svcd migrate --config /etc/svcd/svcd.toml --dry-run\n"
      "  SVC_POSTGRES_MIGRATE_URL=postgresql://owner@db/svc svcd migrate");
  migrate->callback([&] { chosen = [&into] { return run_migrate(into); }; });
}

void add_configuration(CLI::App& root, arguments& into, command& chosen) {
  auto* const check = root.add_subcommand("check-config", "Check the configuration and report all problems");
  add_config_option(*check, into);
  add_serving_options(*check, into.listen, into.admin);
  check->add_flag("--connect", into.connect,
                  "also connect to PostgreSQL, Redis and the mail server, and report their state and problems");
  check->footer(
      "Exit code 2 if the configuration has problems; 1 if a server does not meet the requirements.\n\nExamples:\n"
      "  svcd check-config --config /etc/svcd/svcd.toml\n"
      "  svcd check-config --config /etc/svcd/svcd.toml --connect");
  check->callback([&] { chosen = [&into] { return run_check(into); }; });

  auto* const print = root.add_subcommand("print-config", "Print the effective configuration, secrets masked");
  add_config_option(*print, into);
  print->add_flag("--defaults", into.defaults, "ignore the environment, and every file but that of --config");
  print->add_flag("--comments", into.comments, "with each key's purpose, range and variable");
  print->footer(
      "Examples:\n  svcd print-config --config /etc/svcd/svcd.toml\n  svcd print-config --defaults --comments");
  print->callback([&] { chosen = [&into] { return run_print(into); }; });
}

void add_completion(CLI::App& root, std::string& shell, command& chosen) {
  auto* const completion = root.add_subcommand("completion", "Print a completion script for a shell");
  completion->add_option("SHELL", shell, "bash")->required()->check(CLI::IsMember({"bash"}));
  completion->footer("Example:\n  svcd completion bash > /etc/bash_completion.d/svcd");
  completion->callback([&] {
    chosen = [&root] {
      std::cout << bash_completion(root);
      return 0;
    };
  });
}

void add_help(CLI::App& root, std::vector<std::string>& words, command& chosen) {
  auto* const help = add_help_command(root, words);
  help->footer("Example:\n  svcd help admin create-token");
  help->callback([&] {
    chosen = [&] {
      auto const answer = help_of(root, words);
      std::cout << answer.text;
      if (answer.text.empty()) std::cerr << answer.problem.lines("svcd");
      return answer.text.empty() ? refused : 0;
    };
  });
}

/// Returns the exit code. Help and the version are no mistakes.
int end_of_parse(CLI::App& root, CLI::ParseError const& error) {
  if (error.get_exit_code() == 0) return root.exit(error);
  std::cerr << explain_usage(root, error).lines("svcd");
  return refused;
}

}  // namespace

int run_command_line(int argc, char const* const* argv) {
  arguments given;
  std::string shell;
  std::vector<std::string> words_of_help;
  command chosen;
  CLI::App root("The project automation service.", "svcd");
  root.set_version_flag("--version", version_text("svcd", dashboard_version()));
  root.require_subcommand(1);
  root.formatter(plain_help());
  root.footer(
      "Examples:\n  svcd dev\n  svcd serve --config /etc/svcd/svcd.toml\n  svcd serve --help\n\n"
      "Exit codes: 0 done, 1 failed, 2 wrong arguments or configuration.");
  add_serve(root, given, chosen);
  add_dev(root, given, chosen);
  add_migrate(root, given, chosen);
  add_configuration(root, given, chosen);
  admin::add_commands(root, chosen, load_for_admin);
  add_completion(root, shell, chosen);
  add_help(root, words_of_help, chosen);
  try {
    root.parse(argc, argv);
    return chosen();
  } catch (CLI::ParseError const& e) {
    return end_of_parse(root, e);
  } catch (std::exception const& e) {
    say(e.what());
    return 1;
  }
}

}  // namespace svc::app
