#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::runner {

/// Where the service listens for runners. A value.
struct endpoint {
  bool tls = true;
  std::string host{};  ///< a name or an address, IPv6 without brackets
  std::string port = "443";
  std::string unix_path{};  ///< instead of host and port, without TLS

  /// For the Host field.
  std::string authority() const;
};

/// `https://HOST[:PORT]`, `unix:/PATH`, or `http://` to this machine's loopback address; nothing else, and no path.
std::optional<endpoint> parse_endpoint(std::string_view url);

}  // namespace svc::runner
