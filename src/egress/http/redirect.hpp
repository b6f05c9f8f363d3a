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
  /// No hop has left the first origin; once one has, none gets credentials again (Fetch standard, "HTTP-redirect
  /// fetch").
  bool with_credentials = true;
};

/// Whether the answer asks for a redirect that is followed: 301, 302, 303, 307, 308 with a `Location` that is not
/// empty.
bool is_redirect(int status, std::string const* location);

/// The next hop; nothing if it is refused: no http(s) URL, http after https, or a port of another protocol. 301 and
/// 302 turn POST into GET, 303 everything but HEAD; 307 and 308 keep method and body. Pure.
std::optional<http_hop> next_hop(http_hop const& hop, int status, std::string const& location);

/// Whether a secret body would go to another origin.
bool would_leak(http_request const& request, http_hop const& hop);

/// The fields that go with a hop, in libcurl's form. Nothing if one, or the method, may not be sent.
std::optional<std::vector<std::string>> field_lines(http_request const& request, http_hop const& hop);

}  // namespace svc::egress
