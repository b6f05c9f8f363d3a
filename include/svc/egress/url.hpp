#pragma once

#include "svc/core/result.hpp"
#include "svc/egress/host.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::egress {

/// Where a URL leads: what may share credentials (RFC 6454).
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

  /// `host[:port]`, the port only if it is not the scheme's own: the value of `Host`.
  std::string authority() const;
  std::string to_string() const;

  friend bool operator==(http_url const&, http_url const&) = default;
};

/// The longest URL, in bytes: that of a monitor's target, and of a redirect's.
inline constexpr std::size_t longest_url = 2048;

/// An absolute http or https URL without user information and fragment, with a host as `parse_host` takes it and a
/// port that browsers do not refuse (Fetch standard, "bad port"). Bytes above 0x7F in path and query are
/// percent-encoded, blanks and control characters are refused, and so is a backslash, which some readers take for a
/// slash. Fails with `validation_failed` and a sentence. Total.
result<http_url> parse_http_url(std::string_view text);

/// What `Location: reference` means in an answer of `base` (RFC 9110 10.2.2): resolved as libcurl does it, which also
/// reads addresses in other notations and writes them in dotted decimal; its fragment taken away,
/// blanks and bytes that URLs do not have percent-encoded; then as `parse_http_url`. Total.
result<http_url> resolve_location(http_url const& base, std::string_view reference);

/// Whether http requests to that port are refused.
bool is_bad_port(std::uint16_t port);

}  // namespace svc::egress
