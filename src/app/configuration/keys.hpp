#pragma once

#include "svc/app/configuration.hpp"
#include "svc/core/settings_table.hpp"

namespace svc::app {

/// The keys of `svcd`. All that reads, prints or explains the configuration works from this table; the
/// `[[listeners]]` tables are the one exception (listeners.hpp).
settings_table const& configuration_keys();

/// `ADDRESS:PORT` with an IP address (IPv6 in brackets).
bool is_address(std::string_view text);

}  // namespace svc::app
