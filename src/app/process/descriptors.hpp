#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/net/session_settings.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace svc::app {

/// Returns the configured settings with at most as many connections for each worker as `descriptors` allows in
/// addition to the process's own needs. Without a free descriptor no listener accepts, not even the admin listener.
/// Returns at least one connection.
net::session_settings settings_within(configuration const& config, std::size_t descriptors);

/// Returns the number of checks that a check worker may have in progress, at most the configured number. Each check
/// needs a descriptor, and all checks get at most a quarter of all descriptors. Returns at least one.
std::size_t checks_within(configuration const& config, std::size_t descriptors);

/// A number of the configuration that a limit of open files reduces.
struct reduced_number {
  std::string_view key;
  std::size_t configured, fitting;
};

/// Returns the numbers of the configuration that `descriptors` reduces. None with `descriptors_enough`.
std::vector<reduced_number> numbers_beyond(configuration const& config, std::size_t descriptors);

/// Returns the smallest limit of open files with which `settings_within` and `checks_within` return the configured
/// numbers.
std::size_t descriptors_enough(configuration const& config);

/// Returns the smallest limit of open files that has the connections reserved for health checks, and the same number
/// of other connections. The service does not start with less.
std::size_t descriptors_needed(configuration const& config);

/// Raises the limit of open files as far as this process may, and returns the new limit.
std::size_t raise_descriptor_limit();

/// Does the same, and logs each number of the configuration that does not fit into it. Throws
/// `std::runtime_error` with the numbers if the limit stays below `descriptors_needed`.
std::size_t claim_descriptors(configuration const& config);

}  // namespace svc::app
