#pragma once

#include "svc/http/framing_guard.hpp"

#include <cstddef>

namespace svc::net {

/// What became of a request's body when its response is ready.
enum class body_state {
  finished,   ///< there was none, or all of it was read
  untouched,  ///< nobody asked for it
  broken,     ///< asked for, but it did not come, or not as it should: the message's end is unknown
};

/// Whether an untouched body may be read and dropped to save the connection. Not when the client waits for
/// `100 Continue`: after a final answer it may send the body or not (RFC 9110 section 10.1.1).
inline bool may_drain(http::head_summary const& head, body_state body, std::size_t limit) {
  if (body != body_state::untouched || head.expect_continue) return false;
  return head.framing == http::body_framing::chunked || head.content_length <= limit;
}

/// Whether another request may follow on this connection.
inline bool stays_open(http::head_summary const& head, body_state body, std::size_t drain_limit, bool response_closes,
                       bool draining) {
  if (!head.keep_alive || response_closes || draining) return false;
  return body == body_state::finished || may_drain(head, body, drain_limit);
}

}  // namespace svc::net
