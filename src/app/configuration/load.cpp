// This file reads the configuration from all sources, then checks it as far as its use requires.

#include "app/configuration/configuration.hpp"
#include "app/configuration/file_warnings.hpp"
#include "svc/core/file_problem.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/egress/trust.hpp"
#include "svc/net/tls_context.hpp"
#include "svc/sign_in/denied_passwords.hpp"
#include "svc/sign_in/origin_rule.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

namespace svc::app {
namespace {

/// Returns true for hosts that may exist, separated by commas. Paths of sockets may have any characters.
bool is_host_list(std::string_view text) {
  for (auto rest = text; !rest.empty();) {
    auto const host = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(host.size() + 1, rest.size()));
    bool const path = host.starts_with('/') || host.starts_with('@');
    if (!path && host.find_first_of(" \t\r\n\"'/\\") != host.npos) return false;
  }
  return true;
}

void check_postgres(std::string const& name, secret_string const& url, std::vector<std::string>& problems) {
  std::string const text(url.reveal());
  // The code drops libpq's own message, because it quotes parts of the string.
  char* reason = nullptr;
  auto* const parsed = PQconninfoParse(text.c_str(), &reason);
  if (reason != nullptr) PQfreemem(reason);
  if (parsed == nullptr) {
    problems.push_back(name + ": must be a libpq URI (postgresql://user@host/database) or keyword string");
    return;
  }
  // libpq takes any text as a host, which would fail only when the service connects.
  for (auto const* option = parsed; option->keyword != nullptr; ++option)
    if (std::string_view(option->keyword) == "host" && option->val != nullptr && !is_host_list(option->val))
      problems.push_back(name + ": its host must be a host name, an IP address or the absolute path of a directory");
  PQconninfoFree(parsed);
}

/// Returns the problem without the prefix of `redis::parse_url`, because the key has the same meaning.
std::string redis_url_problem(std::exception const& e) {
  constexpr std::string_view prefix = "redis url: ";
  std::string_view const reason = e.what();
  return std::string(reason.starts_with(prefix) ? reason.substr(prefix.size()) : reason);
}

void check_output_redis(configuration const& values, std::vector<std::string>& problems) {
  try {
    static_cast<void>(values.to_output_redis_settings());
  } catch (std::exception const& e) {
    problems.push_back("redis.output_url: " + redis_url_problem(e));
  }
}

void check_list(std::string const& key, std::string const& mode, std::vector<std::string> const& list,
                std::vector<std::string>& problems) {
  if (list.empty()) problems.push_back(key + ": must be set with redis.mode " + mode);
  std::set<std::string_view> const different(list.begin(), list.end());
  if (different.size() < list.size()) problems.push_back(key + ": names one twice");
}

void check_sentinels(configuration const& values, std::vector<std::string>& problems) {
  auto const& redis = values.redis;
  check_list("redis.sentinels", "sentinel", redis.sentinels, problems);
  if (redis.sentinel_master.empty())
    problems.emplace_back("redis.sentinel_master: must be set with redis.mode sentinel");
  if (!redis.sentinel_username.empty() && redis.sentinel_password.empty())
    problems.emplace_back("redis.sentinel_password: must be set, since redis.sentinel_username is");
}

/// Checks the settings if the servers are not in the URL.
void check_found_servers(configuration const& values, std::vector<std::string>& problems) {
  auto const& redis = values.redis;
  if (!redis.url.empty())
    problems.push_back("redis.url: must be empty with redis.mode " + redis.mode + ": " +
                       (values.uses_sentinel() ? "the sentinels name the server" : "redis.nodes name the servers") +
                       " (user, password and TLS are redis.username, redis.password and redis.tls)");
  if (!redis.username.empty() && redis.password.empty())
    problems.emplace_back("redis.password: must be set, since redis.username is");
}

/// Refuses keys of another mode, because the operator who sets them expects their effect.
void check_other_modes(configuration const& values, std::vector<std::string>& problems) {
  auto const& redis = values.redis;
  auto const refuse = [&](bool set, std::string const& key, std::string const& mode) {
    if (set && redis.mode != mode) problems.push_back(key + ": must not be set unless redis.mode is " + mode);
  };
  refuse(!redis.sentinels.empty(), "redis.sentinels", "sentinel");
  refuse(!redis.sentinel_master.empty(), "redis.sentinel_master", "sentinel");
  refuse(!redis.sentinel_username.empty(), "redis.sentinel_username", "sentinel");
  refuse(!redis.sentinel_password.empty(), "redis.sentinel_password", "sentinel");
  refuse(redis.sentinel_tls, "redis.sentinel_tls", "sentinel");
  refuse(!redis.nodes.empty(), "redis.nodes", "cluster");
}

/// Checks the keys that do not depend on the mode.
void check_redis_urls(configuration const& values, std::vector<std::string>& problems) {
  for (auto const& [key, url] :
       {std::pair{"redis.url: ", &values.redis.url}, {"redis.output_url: ", &values.redis.output_url}}) {
    try {
      if (!url->empty()) static_cast<void>(redis::parse_url(url->reveal()));
    } catch (std::exception const& e) {
      problems.push_back(key + redis_url_problem(e));
    }
  }
}

void check_redis(configuration const& values, std::vector<std::string>& problems) {
  check_other_modes(values, problems);
  if (values.uses_sentinel() || values.uses_cluster()) {
    check_found_servers(values, problems);
    if (values.uses_sentinel()) check_sentinels(values, problems);
    if (values.uses_cluster()) check_list("redis.nodes", "cluster", values.redis.nodes, problems);
    return check_output_redis(values, problems);
  }
  if (values.redis.url.empty()) {
    problems.push_back("redis.url: must be set");
    return;
  }
  try {
    auto const parsed = values.to_redis_settings();
    if (parsed.tls && !parsed.unix_path.empty()) problems.push_back("redis.tls: must be false for a Unix socket");
  } catch (std::exception const& e) {
    problems.push_back("redis.url: " + redis_url_problem(e));
    return;
  }
  check_output_redis(values, problems);
}

/// A configuration whose files are being checked. `listeners_known` is false if a listener was refused: whether one
/// of them has TLS is then unknown.
struct file_check {
  configuration const& values;
  bool listeners_known;
  std::vector<std::string>& problems;

  /// Returns true if the file can be read; otherwise it has a problem, or the key is not set.
  bool readable(std::string const& key, std::string const& path) const {
    if (path.empty()) return false;
    auto const problem = file_problem(path);
    if (problem) problems.push_back(key + ": " + path + " " + *problem);
    return !problem;
  }
};

void check_certificate(file_check const& check, configuration_use use) {
  auto const& [values, listeners_known, problems] = check;
  if (listeners_known && !values.any_tls()) return;
  if (listeners_known && values.tls.cert_file.empty()) problems.push_back("tls.cert_file: must be set");
  if (listeners_known && values.tls.key_file.empty()) problems.push_back("tls.key_file: must be set");
  if (use != configuration_use::serving) return;
  bool const certificate = check.readable("tls.cert_file", values.tls.cert_file);
  bool const key = check.readable("tls.key_file", values.tls.key_file);
  if (certificate && key) {
    try {
      static_cast<void>(net::load_tls_context(values.tls.cert_file, values.tls.key_file));
    } catch (net::tls_file_error const& e) {
      problems.push_back((e.is_key() ? "tls.key_file: " : "tls.cert_file: ") + std::string(e.what()));
    }
  }
}

void check_ticket_keys(file_check const& check) {
  auto const& [values, listeners_known, problems] = check;
  if ((listeners_known && !values.any_tls()) || values.tls.ticket_keys_file.empty()) return;
  try {
    static_cast<void>(net::load_ticket_keys(values.tls.ticket_keys_file));
  } catch (std::exception const& e) {
    problems.push_back(std::string("tls.ticket_keys_file: ") + e.what());
  }
}

void check_master_key(configuration const& values, std::vector<std::string>& problems) {
  if (values.master_key_file.empty()) {
    problems.push_back("master_key_file: must be set");
    return;
  }
  try {
    static_cast<void>(master_keys::from_file(values.master_key_file));
  } catch (std::exception const& e) {
    problems.push_back(std::string("master_key_file: ") + e.what());
  }
}

void check_checks(configuration const& values, configuration_use use, std::vector<std::string>& problems) {
  if (values.checks.connectivity_probes.size() == 1)
    problems.emplace_back("checks.canaries: must name none or at least two, since a single one may itself be down");
  if (use != configuration_use::serving) return;
  try {
    egress::trust_store const readable{values.outgoing_ca_file};
  } catch (std::exception const& e) {
    problems.push_back(std::string("outgoing_ca_file: ") + e.what());
  }
}

void check_mail(configuration const& values, configuration_use use, std::vector<std::string>& problems) {
  if (!values.smtp.url.empty() && values.smtp.sender.empty())
    problems.emplace_back("smtp.from: must be set with smtp.url");
  if (use != configuration_use::serving) return;
  try {
    egress::trust_store const readable{values.smtp.ca_file};
  } catch (std::exception const& e) {
    problems.push_back(std::string("smtp.ca_file: ") + e.what());
  }
}

void check_passwords(configuration const& values, configuration_use use, std::vector<std::string>& problems) {
  if (values.sessions.idle > values.sessions.absolute)
    problems.emplace_back("sessions.idle: must not be longer than sessions.absolute");
  if (use != configuration_use::serving) return;
  try {
    sign_in::denied_passwords(values.passwords.denied_file).check();
  } catch (std::exception const& e) {
    problems.push_back("passwords.denied_file: " + values.passwords.denied_file + " " + e.what());
  }
}

/// Warns about a URL with which nobody can sign in. Browsers treat localhost as secure.
void warn_of_plain_url(configuration const& values, std::vector<std::string>& warnings) {
  auto const origin = sign_in::origin_of(values.public_url);
  if (!values.passwords.enabled || !origin.starts_with("http://")) return;
  auto const host = std::string_view(origin).substr(7);
  for (std::string_view const local : {"localhost", "127.0.0.1", "[::1]"})
    if (host == local || host.starts_with(std::string(local) + ":")) return;
  warnings.emplace_back(
      "public_url: browsers refuse the cookies of sessions over http, so nobody can sign in; use https, also with a "
      "proxy that terminates TLS");
}

/// Sections with a refused value: messages about such a whole section would only be consequences.
struct unknown_parts {
  bool listeners = false;
  bool redis = false;
  bool sign_in = false;
};

/// Checks the rules between keys, and the files and URLs that they name.
void check_configuration(configuration const& values, configuration_use use, unknown_parts unknown,
                         std::vector<std::string>& problems) {
  if (use == configuration_use::showing) return;
  if (values.postgres.url.empty() && (use != configuration_use::migrating || values.postgres.migrate_url.empty()))
    problems.push_back("postgres.url: must be set");
  check_postgres("postgres.url", values.postgres.url, problems);
  check_postgres("postgres.migrate_url", values.postgres.migrate_url, problems);
  if (use == configuration_use::migrating) return;
  if (unknown.redis)
    check_redis_urls(values, problems);
  else
    check_redis(values, problems);
  if (use == configuration_use::administering) return;
  file_check const files{.values = values, .listeners_known = !unknown.listeners, .problems = problems};
  if (!unknown.listeners) check_listeners(values, problems);
  check_certificate(files, use);
  if (use == configuration_use::serving) check_ticket_keys(files);
  check_master_key(values, problems);
  check_checks(values, use, problems);
  check_mail(values, use, problems);
  if (!unknown.sign_in) check_sign_in(values, use, problems);
  check_passwords(values, use, problems);
}

// These variables are no configuration of the service: test builds, tests, and the client's build and installation
// read them.
constexpr std::array<std::string_view, 7> foreign{"SVC_FAILPOINTS", "SVC_DECISION_LOG", "SVC_CORPORA_DIR", "SVC_BIN",
                                                  "SVC_CLI_BIN",    "SVC_INSTALL_DIR",  "SVC_DEFAULT_URL"};

/// Returns the entries without the variables of `svc-runner`, which may run on the same machine.
std::vector<std::string> own_variables(std::vector<std::string> entries) {
  std::erase_if(entries, [](std::string const& entry) {
    auto const name = std::string_view(entry).substr(0, entry.find('='));
    return name.starts_with("SVC_RUNNER_") || std::find(foreign.begin(), foreign.end(), name) != foreign.end();
  });
  return entries;
}

/// Reads the file into `reader`, and the values of tables in lists into `out`. Returns false if the file is no TOML,
/// or is not readable.
bool read_file(std::string const& path, settings_reader& reader, loaded_configuration& out, unknown_parts& refused) {
  out.file = reader.file = path;
  auto const values = read_toml(path, reader.problems);
  if (!reader.problems.empty()) return false;
  if (std::ranges::any_of(values, holds_secret))
    if (auto const readers = warn_of_readers(path); !readers.empty()) out.warnings.push_back(readers);
  for (auto const& value : values) {
    bool const one_table = value.name == "listeners" || value.name.starts_with("listeners.");
    bool const listener = one_table || is_listener_value(value.name);
    if (!listener && !is_sign_in_value(value.name)) {
      reader.file_value(value);
      continue;
    }
    std::vector<std::string> problems;
    if (one_table)
      problems.push_back(value.name +
                         ": the listeners are a list of tables: write [[listeners]], and below it address = "
                         "\"0.0.0.0:8443\"");
    else
      (listener ? apply_listener : apply_sign_in)(value, out.values, problems);
    auto& part = listener ? refused.listeners : refused.sign_in;
    part = part || !problems.empty();
    for (auto const& problem : problems)
      reader.problems.push_back(path + ":" + std::to_string(value.line) + ": " + problem);
  }
  return true;
}

/// Replaces all listeners of the file by `--listen`: another instance on the same machine cannot bind the file's
/// listeners.
void replace_listeners(std::string const& address, configuration& into, std::vector<std::string>& problems) {
  if (is_listener_address(address))
    into.listeners = {listener_settings{.address = address}};
  else
    problems.push_back("--listen: must be " + std::string(allowed_listener_address()));
}

}  // namespace

loaded_configuration load_configuration(configuration_sources const& sources, configuration_use use) {
  loaded_configuration out;
  settings_reader reader(configuration_keys(), &out.values);
  unknown_parts refused;
  if (sources.file && !read_file(*sources.file, reader, out, refused)) {
    out.problems = std::move(reader.problems);
    return out;
  }
  reader.environment(own_variables(sources.environment));
  for (auto const& [name, value] : sources.overrides) {
    if (name == "listen")
      replace_listeners(value, out.values, reader.problems);
    else
      reader.flag(name, value);
  }
  std::vector<std::string> found;
  refused.redis = reader.refused("redis.mode") || reader.refused("redis.url");
  check_configuration(out.values, use, refused, found);
  reader.add(found);
  out.problems = std::move(reader.problems);
  std::ranges::move(reader.warnings, std::back_inserter(out.warnings));
  if (use == configuration_use::serving || use == configuration_use::reloading)
    warn_of_plain_url(out.values, out.warnings);
  if (use == configuration_use::serving && out.values.any_tls())
    if (auto const certificate = warn_of_certificate(out.values.tls.cert_file, system_now()); !certificate.empty())
      out.warnings.push_back("tls.cert_file: " + certificate);
  return out;
}

std::vector<std::string> process_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("SVC_")) out.emplace_back(*entry);
  return out;
}

}  // namespace svc::app
