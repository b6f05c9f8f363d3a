#pragma once

#include "svc/core/secret.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// A value and its source for messages: `--org`, `SERVICE_ORG`, `/home/ada/shop/svc.toml:3`.
struct found_value {
  std::string value;
  std::string source;
};

/// The environment's proxies: the URL (may hold credentials) for each scheme, and the hosts that bypass them.
struct proxy_settings {
  std::string http, https;
  std::string no_proxy;
};

/// The values of the environment (docs/cli.md). Empty variables count as unset. A value.
struct environment {
  std::optional<found_value> url, organization, project, ca_file;
  std::optional<secret_string> token, trigger_key;
  /// `http_proxy` overrides `HTTP_PROXY` and so on, as with curl. Unlike with curl, `HTTP_PROXY` counts, because the
  /// contract names it; no web server starts this program with a request's fields in its environment. `ALL_PROXY` is
  /// not read.
  proxy_settings proxies;
  /// The directories of the user's files (XDG Base Directory 0.8), `.../svc`; empty without a home directory.
  /// Relative `XDG_*_HOME` are ignored, as that specification requires.
  std::string config_directory, cache_directory;
  /// The trace of a traced pipeline, in the form of version 00 (`TRACEPARENT`, OpenTelemetry's name); empty if there
  /// is none, or it is not valid.
  std::string trace_parent;
};

/// Returns the value of a variable; nullptr: unset.
using environment_lookup = std::function<char const*(char const*)>;

/// Reads the process's environment. Throws `failure` (usage) for a malformed token or key.
environment read_environment();
environment read_environment(environment_lookup const& look_up);

/// The environment for child processes: this process's environment without SERVICE_TOKEN and SERVICE_TRIGGER_KEY. The
/// object owns the memory of `get`.
class child_environment {
 public:
  child_environment();
  child_environment(child_environment const&) = delete;
  child_environment& operator=(child_environment const&) = delete;

  /// Returns the variables for exec and posix_spawn: `NAME=value`, with a null pointer at the end.
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> variables_;
  std::vector<char*> pointers_;
};

/// Returns `text` as a CLI token, or as a trigger key. Throws `failure` (usage) that describes the problem with
/// `text` and never quotes it. `source` names its source in the first words of that sentence.
secret_string checked_token(std::string_view text, std::string const& source);
secret_string checked_trigger_key(std::string_view text, std::string const& source);

}  // namespace svc::cli
