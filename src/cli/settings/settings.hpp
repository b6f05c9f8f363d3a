#pragma once

#include "svc/core/secret.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace svc::cli {

/// A value and where it was found, for messages: `--org`, `SERVICE_ORG`, `svc.toml`.
struct found_value {
  std::string value;
  std::string source;
};

/// What the global options of the command line say; empty: not given.
struct global_options {
  std::string url, organization, project, ca_file;
  std::string template_text;
  std::string colour;  ///< auto, always, never
  double timeout_seconds = 0;
  bool json = false, quiet = false, verbose = false;
};

/// The address of the service: `https://host[:port][/prefix]`, or `http://` of a loopback address.
struct base_url {
  std::string text;                ///< without a trailing slash
  std::string scheme, host, port;  ///< host in lower case, IPv6 without brackets; port always given
  std::string source;
  /// Nothing: plain HTTP beyond loopback, user info, query, fragment, no host, other scheme. `why`: a sentence.
  static std::optional<base_url> parse(std::string_view text, std::string& why);
};

/// Proxies by environment: the URL (may hold credentials) for each scheme, and who bypasses them.
struct proxy_settings {
  std::string http, https;
  std::string no_proxy;
};

/// All that the environment, files and flags say. Made once at the start, then const.
struct settings {
  base_url url;
  std::optional<secret_string> token;
  std::string token_source;  ///< `SERVICE_TOKEN`, or the file of credentials
  std::optional<secret_string> trigger_key;
  std::optional<found_value> organization, project;
  std::string ca_file;  ///< empty: the system's
  proxy_settings proxies;
  std::optional<std::chrono::milliseconds> timeout;  ///< of the whole command; nothing: each operation's default
  bool verbose = false;
};

/// Flags beat environment beats project file (`svc.toml`, found upwards from the working directory) beats user file
/// (`$XDG_CONFIG_HOME/svc/config.toml`). Throws `failure` (usage) for files that are wrong or contain a token, and
/// when `needs_url` and there is no address.
settings load_settings(global_options const& given, bool needs_url = true);

}  // namespace svc::cli
