#pragma once

#include "svc/egress/http/http_client.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::egress {

/// One request of an attempt.
struct http_hop {
  http_url url{};
  std::string method{};
  bool with_body = true;
  /// True until a hop leaves the first origin; no later hop gets credentials (Fetch standard, "HTTP-redirect
  /// fetch").
  bool with_credentials = true;
};

/// Returns true if the answer is a redirect that is followed: 301, 302, 303, 307 or 308 with a `Location`
/// that is not empty.
bool is_redirect(int status, std::string const* location);

/// Returns the next hop, or `std::nullopt` if it is refused: no http(s) URL, http after https, or a port of
/// another protocol. 301 and 302 turn POST into GET, 303 all methods but HEAD; 307 and 308 keep method and
/// body. Pure.
std::optional<http_hop> next_hop(http_hop const& hop, int status, std::string const& location);

/// Returns true if a secret body would go to another origin.
bool would_leak(http_request const& request, http_hop const& hop);

/// Returns the fields of a hop in libcurl's form, or `std::nullopt` if a field or the method must not be
/// sent.
std::optional<std::vector<std::string>> field_lines(http_request const& request, http_hop const& hop);

}  // namespace svc::egress
