#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/net/session_settings.hpp"

#include <cstddef>

namespace svc::app {

/// The configured settings, with no more connections for each worker than so many descriptors allow beside what the
/// process needs for itself: without a descriptor no listener accepts, the admin listener neither. At least one.
net::session_settings settings_within(configuration const& with, std::size_t descriptors);

/// Raises the limit of open files as far as this process may; what it is then.
std::size_t raise_descriptor_limit();

}  // namespace svc::app
