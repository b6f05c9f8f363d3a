#pragma once

#include "svc/http/message.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::net {

/// Properties of a response that only the connection knows.
struct response_frame {
  std::string_view date;   ///< IMF-fixdate
  bool keep_alive = true;  ///< false: `Connection: close`
  int version_minor = 1;   ///< version of the request: HTTP/1.0 needs a field that keeps the connection open
  bool head_only = false;  ///< the request was a HEAD
  bool pins_tls = false;   ///< adds Strict-Transport-Security
};

/// Returns true if a Host field names `localhost` or a name below it. A browser that pinned such a name to TLS would
/// refuse the other, plain HTTP servers on the developer's machine.
bool is_local_name(std::string_view host);

/// Returns false for 204 and 304, which end after their head (RFC 9110 section 6.4.1), and for answers to HEAD.
bool carries_body(http::response const& answer, response_frame const& frame);

/// Appends the head and, if `carries_body`, a body of at most `inline_body` bytes, so that both leave in one write.
/// Returns the part of the content that must still be written after it. Pure. Control characters in field values
/// become spaces: no value can start a line of its own.
std::string_view append_response(std::string& out, http::response const& answer, response_frame const& frame,
                                 std::size_t inline_body = 64UL * 1024);

}  // namespace svc::net
