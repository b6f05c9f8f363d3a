#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// The address of the service: `https://host[:port][/prefix]`, or `http://` of a loopback address, so that no token
/// crosses a network unencrypted. Credentials are stored by `text`, which is therefore the one spelling of an
/// address: letters of scheme and host in lower case, without the scheme's own port, without a slash at the end. A
/// value.
struct base_url {
  std::string text;
  std::string scheme, host, port;  ///< IPv6 without brackets; port always given
  std::string source{};            ///< where it was found: `--url`, `SERVICE_URL`, a file and line

  /// Returns `std::nullopt` for another scheme, plain HTTP beyond loopback, user info, query, fragment, and hosts,
  /// ports or prefixes that no server could have. `reason`: the rest of a sentence that begins with the source;
  /// quotes nothing of `text`, which may hold a password.
  static std::optional<base_url> parse(std::string_view text, std::string& reason);
};

/// localhost, *.localhost (RFC 6761, 6.3), 127.0.0.0/8 and ::1. `host` as in `base_url`.
bool is_loopback(std::string_view host);

}  // namespace svc::cli
