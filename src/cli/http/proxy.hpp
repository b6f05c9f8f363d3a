#pragma once

#include "cli/settings/settings.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// The public parts of a proxy's address, without its credentials. The schemes are `http`, `https`, `socks5` and
/// `socks5h`; without a scheme it is `http`.
struct proxy_address {
  std::string scheme, host, port;

  /// Returns `std::nullopt` for other schemes, and for a text that is no URL. Total.
  static std::optional<proxy_address> parse(std::string_view text);
  std::string text() const { return scheme + "://" + host + ":" + port; }
};

/// Throws `failure` (usage) if a credential would travel in clear text: to another machine over plain HTTP, or to
/// this machine through a proxy elsewhere.
void require_safe_way(base_url const& url, std::string_view proxy);

/// Returns the proxy for an address; empty: none. `no_proxy` is a list of hosts separated by commas or spaces. `*`
/// means all; `.example.com` and `example.com` mean that host and all below it. `10.0.0.0/8` and `fd00::/8` are
/// ranges, for hosts that are addresses; `host:8443` and `[::1]:8443` apply only to that port. Loopback is not
/// special. Pure.
std::string proxy_for(base_url const& target, proxy_settings const& settings);

}  // namespace svc::cli
