#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

/// A server's host name or IP address, and its port.
struct address {
  std::string host{}, port{};

  friend bool operator==(address const&, address const&) = default;
  /// Returns `HOST:PORT`; an IPv6 address in brackets.
  std::string to_string() const;
};

/// Returns `HOST:PORT, HOST:PORT`.
std::string list_of(std::vector<address> const& all);

/// Reads `HOST:PORT` with a port from 1 to 65535; an IPv6 address in brackets. Total.
std::optional<address> parse_address(std::string_view text);
/// Reads the two parts in the form of Redis: an IPv6 address has no brackets. Total.
std::optional<address> parse_address(std::string_view host, std::string_view port);

}  // namespace svc::redis
