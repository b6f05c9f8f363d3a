#pragma once

#include "cli/settings/settings.hpp"

#include <string>

namespace svc::cli {

/// The proxy for an address; empty: none. `no_proxy`: hosts separated by commas or spaces; `*` is all; `.example.com`
/// and `example.com` are that host and all below it; `10.0.0.0/8` and `fd00::/8` are ranges, for hosts that are
/// addresses; `host:8443` and `[::1]:8443` are for that port alone. Loopback is not special. Pure.
std::string proxy_for(base_url const& target, proxy_settings const& with);

}  // namespace svc::cli
