#pragma once

#include "svc/core/result.hpp"
#include "svc/egress/host.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::egress {

/// The origin of a URL (RFC 6454). Credentials may be shared only within one origin.
struct origin {
  bool secure = false;  ///< https
  host host{};
  std::uint16_t port = 0;

  friend bool operator==(origin const&, origin const&) = default;
};

/// An http or https URL that a user gave or a redirect led to. A value.
struct http_url {
  origin where{};
  std::string target = "/";  ///< path and query, as sent in the request line

  /// Returns `host[:port]`, the value of `Host`; the port appears only if it differs from the scheme's default.
  std::string authority() const;
  std::string to_string() const;

  friend bool operator==(http_url const&, http_url const&) = default;
};

/// Maximum length in bytes of a URL: of a monitor's target and of a redirect.
inline constexpr std::size_t longest_url = 2048;

/// Parses an absolute http or https URL without user information and fragment. The host follows `parse_host`, and
/// browsers must not refuse the port (Fetch standard, "bad port"). Bytes above 0x7F in path and query are
/// percent-encoded. Blanks, control characters and backslashes are refused; some readers take a backslash for a
/// slash. Fails with `validation_failed` and a sentence. Total.
result<http_url> parse_http_url(std::string_view text);

/// Resolves `Location: reference` in an answer of `base` (RFC 9110 10.2.2) as libcurl does. libcurl also reads
/// addresses in other notations and writes them in dotted decimal. Removes the fragment and percent-encodes blanks
/// and bytes that URLs do not have. The rest follows `parse_http_url`. Total.
result<http_url> resolve_location(http_url const& base, std::string_view reference);

/// Returns true if http requests to the port are refused.
bool is_bad_port(std::uint16_t port);

}  // namespace svc::egress
