#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/net/session_settings.hpp"

#include <cstddef>

namespace svc::app {

/// The configured settings, with no more connections for each worker than `descriptors` allows besides what the
/// process needs itself: without a free descriptor no listener accepts, not even the admin listener. At least one
/// connection.
net::session_settings settings_within(configuration const& config, std::size_t descriptors);

/// How many checks a check worker may have in progress: as configured, but of all descriptors a quarter at most is
/// for checks, of which each needs one. At least one.
std::size_t checks_within(configuration const& config, std::size_t descriptors);

/// The least limit of open files with which `settings_within` and `checks_within` give what is configured.
std::size_t descriptors_enough(configuration const& config);

/// The least limit of open files with which clients find the connections that are reserved for health checks and as
/// many others. The service does not start with less.
std::size_t descriptors_needed(configuration const& config);

/// Raises the limit of open files as far as this process may; returns the new limit.
std::size_t raise_descriptor_limit();

/// The same, and logs each number of the configuration that does not fit into the limit. Throws `std::runtime_error`
/// with the numbers if the limit stays below `descriptors_needed`.
std::size_t claim_descriptors(configuration const& config);

}  // namespace svc::app
