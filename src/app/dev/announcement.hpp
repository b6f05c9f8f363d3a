#pragma once

#include "app/dev/demo.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace svc::app::dev {

/// The addresses, files and processes of a development service; complete once it serves.
struct announcement {
  std::string url{};        ///< of the public API
  std::string admin_url{};  ///< of the admin listener
  std::string ca_file{};
  credentials seeded{};
  secret_string link{};    ///< of `sign_in_link`
  bool has_pages = false;  ///< the service has the pages of the dashboard
  std::string data_directory{};
  std::string config_file{};
  std::string postgres_url{};
  std::string redis_url{};
  std::string opened{};           ///< ranges that checks may reach in addition to the public internet
  std::optional<demo> watched{};  ///< the demo's monitors
  pid_t postgres = 0;
  pid_t redis = 0;
  std::optional<pid_t> runner{};  ///< empty: no runner was started
};

/// Returns the URL of a bound address; the unspecified address is reachable as localhost.
std::string url_of(std::string const& scheme, std::string const& bound);

/// Returns one line of JSON; tests and benchmarks rely on its members.
std::string to_json_line(announcement const& announcement);
/// Returns what a person needs first: the address that signs a browser in, the page of the demo with two lines that
/// change its colour, and at most six lines to paste.
std::string to_text(announcement const& announcement);
/// Returns all addresses for people, and lines that work as printed: of `svc`, if it lies in the same directory as
/// this program, and of `curl`.
std::string to_lines(announcement const& announcement);

}  // namespace svc::app::dev
