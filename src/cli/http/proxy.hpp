#pragma once

#include "cli/settings/settings.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// What may be said of a proxy, without its credentials. `http`, `https`, `socks5` and `socks5h` are allowed; without
/// a scheme it is `http`.
struct proxy_address {
  std::string scheme, host, port;

  /// Nothing for other schemes, and for what is no URL. Total.
  static std::optional<proxy_address> parse(std::string_view text);
  std::string text() const { return scheme + "://" + host + ":" + port; }
};

/// Throws `failure` (usage) where a credential would travel in clear text: to another machine over plain HTTP, or to
/// this one through a proxy elsewhere.
void require_safe_way(base_url const& url, std::string_view proxy);

/// The proxy for an address; empty: none. `no_proxy`: hosts separated by commas or spaces; `*` is all; `.example.com`
/// and `example.com` are that host and all below it; `10.0.0.0/8` and `fd00::/8` are ranges, for hosts that are
/// addresses; `host:8443` and `[::1]:8443` are for that port alone. Loopback is not special. Pure.
std::string proxy_for(base_url const& target, proxy_settings const& settings);

}  // namespace svc::cli
