#pragma once

#include "svc/core/secret.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace svc::app::dev {

/// What was seeded, with the plain secrets: kept only by development, in a file for its owner alone.
struct credentials {
  std::string organization{}, project{}, user{}, job{}, test{};  ///< ids; empty: not made yet
  secret_string token{};
  secret_string trigger_key{};
  secret_string runner_token{};
};

/// An empty value when there is no such file; throws `std::runtime_error` when it cannot be understood.
credentials read_credentials(std::string const& path);
void write_credentials(std::string const& path, credentials const& what);

/// What a development service is and where; everything is known once it serves.
struct announcement {
  std::string url{};        ///< of the public API
  std::string admin_url{};  ///< of the admin listener
  std::string ca_file{};
  credentials seeded{};
  std::string data_directory{};
  std::string config_file{};
  std::string postgres_url{};
  std::string redis_url{};
  pid_t postgres = 0;
  pid_t redis = 0;
  std::optional<pid_t> runner{};  ///< nothing: no runner was started
};

/// A URL for what was bound; the unspecified address is reachable as localhost.
std::string url_of(std::string const& scheme, std::string const& bound);

/// One line of JSON, as the interfaces of tests and benchmarks fix it.
std::string to_json_line(announcement const& what);
/// For a person: what runs, where, and `curl` lines that work as printed: seven, or six when nothing executes runs.
std::string to_text(announcement const& what);

}  // namespace svc::app::dev
