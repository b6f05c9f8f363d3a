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
void require_safe_way(base_url const& to, std::string_view proxy);

}  // namespace svc::cli
