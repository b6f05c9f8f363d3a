#include "app/dev/dev.hpp"

#include "app/application.hpp"
#include "app/configuration/configuration.hpp"
#include "app/dev/alert_sink.hpp"
#include "app/dev/announcement.hpp"
#include "app/dev/certificates.hpp"
#include "app/dev/data_directory.hpp"
#include "app/dev/local_runner.hpp"
#include "app/dev/seed.hpp"
#include "app/dev/stores.hpp"
#include "app/dev/terminal_log.hpp"
#include "app/process/dashboard_directory.hpp"
#include "svc/core/joined.hpp"
#include "svc/core/random.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iostream>
#include <stdexcept>

namespace svc::app::dev {
namespace {

using key_values = std::vector<std::pair<std::string, std::string>>;

/// A monitor can then check the programs that a developer runs on this machine.
constexpr std::string_view loopback = "127.0.0.0/8,::1/128";

void say(std::string const& sentence) {
  std::cerr << "svcd dev: " + sentence + "\n" << std::flush;
}

void ensure_master_key(std::string const& path) {
  if (read_file(path)) return;
  std::array<std::uint8_t, 32> key{};
  random_bytes(key);
  write_file(path, to_hex(key) + "\n");
}

/// The keys that connect an instance to these stores.
key_values tie(data_directory const& where, postgres_server const& postgres, redis_server const& redis,
               certificate_files const& files) {
  return {{"master_key_file", where.file("master.key")},
          {"tls.cert_file", files.certificate},
          {"tls.key_file", files.key},
          {"postgres.url", postgres.url("svc_app", "svc")},
          {"postgres.migrate_url", postgres.url(postgres_server::owner, "svc")},
          {"redis.url", redis.url()}};
}

/// For further instances: `svcd serve --config`.
void write_config(std::string const& path, key_values const& keys) {
  std::string text =
      "# Written by `svcd dev` at each start. For another instance on the same stores:\n#   svcd serve "
      "--config THIS --listen ADDR:PORT --admin ADDR:PORT\n";
  // Literal strings, which cannot contain a quote: a path with one is refused.
  for (auto const& [name, value] : keys) {
    if (value.find('\'') != std::string::npos)
      throw std::runtime_error("the path must not contain a quote: " + value);
    text += name + " = '" + value + "'\n";
  }
  text += "outgoing_allow_cidrs = ['127.0.0.0/8', '::1/128']\n";
  write_file(path, text);
}

loaded_configuration configure(dev_options const& options, std::vector<std::string> environment, key_values overrides,
                               configuration_use use = configuration_use::serving) {
  // They override the environment: the database of an operator's SVC_POSTGRES_URL must not be used by accident, nor
  // the sentinels or the Cluster of an operator's Redis.
  std::erase_if(environment, [](std::string const& entry) {
    return entry.starts_with("SVC_REDIS_MODE") || entry.starts_with("SVC_REDIS_SENTINEL") ||
           entry.starts_with("SVC_REDIS_NODES");
  });
  bool const opened = std::ranges::any_of(
      environment, [](std::string const& entry) { return entry.starts_with("SVC_OUTGOING_ALLOW_CIDRS="); });
  if (!opened) overrides.emplace_back("outgoing_allow_cidrs", loopback);
  overrides.emplace_back("listen", options.listen);
  overrides.emplace_back("admin.address", options.admin);
  return load_configuration({.file = {}, .environment = std::move(environment), .overrides = std::move(overrides)},
                            use);
}

/// The listener for the runner; a second instance on the same stores has none.
void add_internal_listener(configuration& config, data_directory const& where) {
  listener_settings settings;
  settings.address = "unix:" + internal_socket(where);
  settings.tls = false;
  settings.kind = listener_kind::internal_api;
  settings.unix_mode = 0600;
  config.listeners.push_back(std::move(settings));
}

std::optional<std::string> choose_runner(dev_options const& options) {
  if (!options.runner) return std::nullopt;
  auto beside = find_runner();
  if (!beside) say("svc-runner is not in this program's directory, so runs stay queued");
  return beside;
}

/// This waits until the service listens, because the monitors need its address.
class demo_stage {
 public:
  demo_stage(bool wanted, demo_parts known) : wanted_(wanted), known_(std::move(known)) {}

  /// Nothing, and a sentence, when it fails: the service is there without it.
  std::optional<demo> set_up(std::string const& url) {
    if (!wanted_) return std::nullopt;
    try {
      return make(url);
    } catch (std::exception const& e) {
      say(std::string("continuing without the demo: ") + e.what());
      return std::nullopt;
    }
  }

 private:
  demo make(std::string const& url) {
    sink_.emplace([](std::string const& line) { say("alert: " + line); });
    known_.url = url;
    known_.sink_url = sink_->url();
    auto made = make_demo(known_);
    if (made.site.empty()) say("checks reach only loopback, so the demo does not monitor " + url);
    return made;
  }

  bool wanted_;
  demo_parts known_;
  std::optional<alert_sink> sink_{};
};

std::string announced(announcement const& ready, announcement_form form) {
  if (form == announcement_form::json) return to_json_line(ready) + "\n";
  return form == announcement_form::lines ? to_lines(ready) : to_text(ready);
}

/// `start_runner`: called once the service listens, on this thread.
int serve_and_announce(dev_options const& options, configuration const& config,
                       configuration_reader const& read_again, announcement announcement,
                       std::function<std::optional<pid_t>()> const& start_runner, demo_stage& stage) {
  return serve(config, read_again,
               [&options, &config, &start_runner, &stage, announcement](std::string const& bound,
                                                                        std::string const& bound_admin) mutable {
                 announcement.runner = start_runner();
                 announcement.url = config.public_url.empty() ? url_of("https", bound) : config.public_url;
                 announcement.has_pages = serves_pages(config);
                 announcement.watched = stage.set_up(announcement.url);
                 announcement.admin_url = url_of("http", bound_admin);
                 std::cout << announced(announcement, options.form) << std::flush;
               });
}

/// Reports problems of the addresses in the command line, before anything is created. Returns true if both can be
/// used.
bool check_addresses(dev_options const& options) {
  bool good = true;
  for (auto const& [flag, address] : {std::pair{"--listen", &options.listen}, {"--admin", &options.admin}}) {
    if (is_listener_address(*address)) continue;
    say(std::string(flag) + ": must be " + std::string(allowed_listener_address()));
    good = false;
  }
  // A Unix socket cannot collide, and whether it needs a public_url is known only with the environment.
  if (!good || options.listen.starts_with("unix:")) return good;
  configuration both;
  both.listeners = {listener_settings{.address = options.listen}};
  both.admin.address = options.admin;
  std::vector<std::string> problems;
  check_listeners(both, problems);
  for (auto const& problem : problems) say(problem);
  return problems.empty();
}

int run_inside(dev_options const& options, std::vector<std::string> const& environment) {
  if (!check_addresses(options)) return 2;
  data_directory const where(options.data_directory.empty() ? default_data_directory() : options.data_directory,
                             options.reset);
  // Alerts and warnings would disappear between the lines of requests.
  std::optional<terminal_log> quiet;
  if (terminal_log::wanted()) {
    quiet.emplace(where.file("svcd.log"));
    say("warnings appear here; the whole log is in " + where.file("svcd.log"));
  }
  auto const files = ensure_certificates(where.file("tls"));
  ensure_master_key(where.file("master.key"));
  redis_server redis(where);
  postgres_server postgres(where);
  secret_string const owner_url(postgres.url(postgres_server::owner, "svc"));
  prepare_database(secret_string(postgres.url(postgres_server::owner, "postgres")), owner_url);
  credentials seeded;
  {
    database_session session(owner_url, milliseconds(5000));
    seeded = seed(session, where.file("credentials.json"));
  }
  sign_in_link const link(owner_url, seeded.user);
  auto const keys = tie(where, postgres, redis, files);
  write_config(where.file("svcd.toml"), keys);

  auto loaded = configure(options, environment, keys);
  for (auto const& warning : loaded.warnings) say("warning: " + warning);
  for (auto const& problem : loaded.problems) say(problem);
  if (!loaded.problems.empty()) return 2;
  auto const program = choose_runner(options);
  if (program) add_internal_listener(loaded.values, where);
  std::optional<local_runner> runner;
  auto const start_runner = [&]() -> std::optional<pid_t> {
    if (!program) return std::nullopt;
    return runner.emplace(where, *program, seeded.runner_token).pid();
  };
  log::start(loaded.values.log_level());
  auto const read_again = [&](configuration_use use) {
    auto again = configure(options, environment, keys, use);
    if (program) add_internal_listener(again.values, where);
    return again;
  };
  demo_stage stage(options.demo, {.database_url = postgres.url("svc_app", "svc"),
                                  .master_key_file = where.file("master.key"),
                                  .seeded = seeded,
                                  .ca_file = files.authority});
  store_watch const watch({{"PostgreSQL", &postgres.process()}, {"Redis", &redis.process()}}, say);
  return serve_and_announce(options, loaded.values, read_again,
                            {.ca_file = files.authority,
                             .seeded = seeded,
                             .link = link.secret(),
                             .data_directory = where.path(),
                             .config_file = where.file("svcd.toml"),
                             .postgres_url = postgres.url("svc_app", "svc"),
                             .redis_url = redis.url(),
                             .opened = joined(loaded.values.outgoing_allow_cidrs, ", "),
                             .postgres = postgres.process().pid(),
                             .redis = redis.process().pid()},
                            start_runner, stage);
}

}  // namespace

int run(dev_options const& options, std::vector<std::string> const& environment) {
  try {
    return run_inside(options, environment);
  } catch (std::filesystem::filesystem_error const& e) {
    say(e.path1().string() + ": " + e.code().message() +
        ": --data-dir must name a directory that this user can write");
    return 1;
  } catch (std::exception const& e) {
    say(e.what());
    return 1;
  }
}

}  // namespace svc::app::dev
