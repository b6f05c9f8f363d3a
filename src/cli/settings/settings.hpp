#pragma once

#include "cli/settings/base_url.hpp"
#include "cli/settings/config_file.hpp"
#include "cli/settings/environment.hpp"
#include "svc/core/secret.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace svc::cli {

/// The global options of the command line; empty: not given.
struct global_options {
  std::string url, organization, project, ca_file;
  std::string template_text;
  std::string colour;  ///< auto, always, never
  double timeout_seconds = 0;
  bool json = false, quiet = false, verbose = false;
  bool wide = false;
};

/// The values of the environment, files and flags. Created once at the start, then const.
struct settings {
  base_url url;
  /// True if the user chose the address: by flag, environment or a file of their own, by the build's default, or by a
  /// login. Only a project's file does not confirm it.
  bool url_confirmed = false;
  std::optional<secret_string> token;
  std::string token_source;  ///< `SERVICE_TOKEN`, or `svc login`
  /// Other addresses with a token of `svc login`, if there is no token for this one.
  std::vector<std::string> other_logins{};
  std::optional<secret_string> trigger_key;
  std::optional<found_value> organization, project;
  std::string ca_file;  ///< empty: the system's
  proxy_settings proxies;
  std::string config_directory, cache_directory;     ///< from `environment`; empty: none
  std::string trace_parent;                          ///< from `environment`
  std::string colour;                                ///< auto, always, never; empty: not set
  std::optional<std::chrono::milliseconds> timeout;  ///< of the whole command; empty: each operation's default
  bool verbose = false;
};

/// The sources of settings; an earlier one overrides the later ones.
struct setting_sources {
  global_options flags;
  environment variables;
  std::optional<config_values> project_file, user_file;
  std::string default_url;            ///< the build's; empty: none
  std::vector<std::string> logins{};  ///< the addresses with a token of `svc login`, for advice
};

/// Returns the token that was stored for an address, by `base_url::text`.
using stored_token = std::function<std::optional<secret_string>(std::string const& address)>;

/// Combines the sources in this order of precedence: flags, environment, project file, user file, the build's
/// default. Throws `failure` (usage) when `needs_url` and there is no address, and for a malformed address. It also
/// throws when a token or key of the environment would go to an address that is not confirmed. Otherwise the author
/// of the working copy's `svc.toml` would get it. Pure except for `stored`.
settings settings_from(setting_sources const& sources, stored_token const& stored, bool needs_url = true);

/// Combines the process's environment, `svc.toml` upwards from the working directory,
/// `$XDG_CONFIG_HOME/svc/config.toml` and the file of credentials. Throws `failure` also for files that are wrong or
/// contain a token.
settings load_settings(global_options const& given, bool needs_url = true);
setting_sources load_sources(global_options const& given);

}  // namespace svc::cli
