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

/// What the global options of the command line say; empty: not given.
struct global_options {
  std::string url, organization, project, ca_file;
  std::string template_text;
  std::string colour;  ///< auto, always, never
  double timeout_seconds = 0;
  bool json = false, quiet = false, verbose = false;
  bool wide = false;
};

/// All that the environment, files and flags say. Made once at the start, then const.
struct settings {
  base_url url;
  /// Whether the address is one that the user chose: by flag, environment or file of their own, by the build's
  /// default, or by logging in to it. A project's file alone does not confirm it.
  bool url_confirmed = false;
  std::optional<secret_string> token;
  std::string token_source;  ///< `SERVICE_TOKEN`, or `svc login`
  /// Other addresses with a token of `svc login`, if there is no token for this one.
  std::vector<std::string> other_logins{};
  std::optional<secret_string> trigger_key;
  std::optional<found_value> organization, project;
  std::string ca_file;  ///< empty: the system's
  proxy_settings proxies;
  std::string config_directory, cache_directory;     ///< `environment`'s; empty: none
  std::string trace_parent;                          ///< the same
  std::string colour;                                ///< auto, always, never; empty: nothing is said
  std::optional<std::chrono::milliseconds> timeout;  ///< of the whole command; nothing: each operation's default
  bool verbose = false;
};

/// Where settings come from, in the order of who beats whom.
struct setting_sources {
  global_options flags;
  environment variables;
  std::optional<config_values> project_file, user_file;
  std::string default_url;  ///< the build's; empty: none
};

/// The token that was stored for an address, by `base_url::text`.
using stored_token = std::function<std::optional<secret_string>(std::string const& address)>;

/// Flags beat environment beats project file beats user file beats the build's default. Throws `failure` (usage) when
/// `needs_url` and there is no address, for an address that cannot be one, and when a token or key of the environment
/// would go to an address that is not confirmed: whoever wrote the working copy's `svc.toml` would get it. Pure but
/// for `stored`.
settings settings_from(setting_sources const& sources, stored_token const& stored, bool needs_url = true);

/// The same from the process's environment, `svc.toml` upwards from the working directory,
/// `$XDG_CONFIG_HOME/svc/config.toml` and the file of credentials. Throws `failure` also for files that are wrong or
/// contain a token.
settings load_settings(global_options const& given, bool needs_url = true);
setting_sources load_sources(global_options const& given);

}  // namespace svc::cli
