#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/core/settings_table.hpp"

namespace svc::app {

/// `ADDRESS:PORT`, or `unix:` and an absolute path.
bool is_listener_address(std::string_view text);
/// The same in words.
std::string_view allowed_listener_address();

/// Whether a value of the file belongs to a `[[listeners]]` table.
bool is_listener_value(std::string_view name);
/// Stores one member, or says what is allowed.
void apply_listener(raw_value const& value, configuration& into, std::vector<std::string>& problems);
/// What must hold between listeners.
void check_listeners(configuration const& values, std::vector<std::string>& problems);
/// The tables as TOML.
void print_listeners(configuration const& values, bool comments, std::string& out);

/// The keys of `svcd`. All that reads, prints or explains the configuration works from this table; the
/// `[[listeners]]` tables are the one exception (listeners.cpp).
settings_table const& configuration_keys();

/// `ADDRESS:PORT` with an IP address (IPv6 in brackets).
bool is_address(std::string_view text);

}  // namespace svc::app
