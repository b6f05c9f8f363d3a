#pragma once

#include "svc/core/secret.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// A value and where it was found, for messages: `--org`, `SERVICE_ORG`, `/home/ada/shop/svc.toml:3`.
struct found_value {
  std::string value;
  std::string source;
};

/// Proxies by environment: the URL (may hold credentials) for each scheme, and who bypasses them.
struct proxy_settings {
  std::string http, https;
  std::string no_proxy;
};

/// What the environment says (public-api.md, 5). Empty variables count as unset. A value.
struct environment {
  std::optional<found_value> url, organization, project, ca_file;
  std::optional<secret_string> token, trigger_key;
  /// `http_proxy` beats `HTTP_PROXY` and so on, as with curl. Unlike curl's, `HTTP_PROXY` counts, because the
  /// contract names it; no web server starts this program with a request's fields in its environment. `ALL_PROXY` is
  /// not read.
  proxy_settings proxies;
  /// Where the user's files are (XDG Base Directory 0.8), `.../svc`; empty without a home directory. Relative
  /// `XDG_*_HOME` are ignored, as it says.
  std::string config_directory, cache_directory;
  /// Of a pipeline that is traced, as version 00 writes it (`TRACEPARENT`, OpenTelemetry's name); empty: none, or one
  /// that is not valid.
  std::string trace_parent;
};

/// Looks a variable up; nullptr: unset.
using environment_lookup = std::function<char const*(char const*)>;

/// The process's environment. Throws `failure` (usage) for a token or key that cannot be one.
environment read_environment();
environment read_environment(environment_lookup const& look_up);

/// What a child may know: this process's environment without SERVICE_TOKEN and SERVICE_TRIGGER_KEY. Owns what `get`
/// gives.
class child_environment {
 public:
  child_environment();
  child_environment(child_environment const&) = delete;
  child_environment& operator=(child_environment const&) = delete;

  /// For exec and posix_spawn: `NAME=value`, with a null pointer at the end.
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> variables_;
  std::vector<char*> pointers_;
};

/// `text` as a CLI token, or as a trigger key. Throws `failure` (usage) that says what is wrong with it and never
/// quotes it. `source`: where it came from, the first words of that sentence.
secret_string checked_token(std::string_view text, std::string const& source);
secret_string checked_trigger_key(std::string_view text, std::string const& source);

}  // namespace svc::cli
