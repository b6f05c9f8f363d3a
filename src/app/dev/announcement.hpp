#pragma once

#include "app/dev/demo.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace svc::app::dev {

/// What a development service runs and where; complete once it serves.
struct announcement {
  std::string url{};        ///< of the public API
  std::string admin_url{};  ///< of the admin listener
  std::string ca_file{};
  credentials seeded{};
  std::string data_directory{};
  std::string config_file{};
  std::string postgres_url{};
  std::string redis_url{};
  std::string opened{};           ///< ranges that checks may reach beside the public internet
  std::optional<demo> watched{};  ///< the demo's monitors
  pid_t postgres = 0;
  pid_t redis = 0;
  std::optional<pid_t> runner{};  ///< nothing: no runner was started
};

/// A URL for what was bound; the unspecified address is reachable as localhost.
std::string url_of(std::string const& scheme, std::string const& bound);

/// One line of JSON; tests and benchmarks rely on its members.
std::string to_json_line(announcement const& announcement);
/// For people: what runs, where, and lines that work as printed: of `svc`, if it lies beside this program, and of
/// `curl`.
std::string to_text(announcement const& announcement);

}  // namespace svc::app::dev
