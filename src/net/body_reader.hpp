#pragma once

#include "net/request_body.hpp"
#include "net/request_buffers.hpp"
#include "net/transport.hpp"
#include "svc/http/framing_guard.hpp"
#include "svc/http/message.hpp"

#include <cstddef>

namespace svc::net {

/// State of a request's body when its response is ready.
enum class body_state {
  finished,   ///< there was no body, or all of it was read
  untouched,  ///< the service did not read it
  broken,     ///< reading started but failed: the message's end is unknown
};

/// Returns true if an untouched body may be read and dropped to save the connection. Returns false if the
/// client waits for `100 Continue`, because it may or may not send the body after a final answer (RFC 9110
/// section 10.1.1).
inline bool may_drain(http::head_summary const& head, body_state body, std::size_t limit) {
  if (body != body_state::untouched || head.expect_continue) return false;
  return head.framing == http::body_framing::chunked || head.content_length <= limit;
}

/// Returns true if another request may follow on this connection.
inline bool stays_open(http::head_summary const& head, body_state body, std::size_t drain_limit, bool response_closes,
                       bool draining) {
  if (!head.keep_alive || response_closes || draining) return false;
  return body == body_state::finished || may_drain(head, body, drain_limit);
}

/// The body of one request, read when the service asks for it. Lives in its session's frame for one exchange;
/// worker-local.
class body_reader final : public http::body_source {
 public:
  body_reader(transport& wire, input_buffer& input, http::head_summary const& head, session_settings const& settings)
      : transport_(wire), input_(input), head_(head), settings_(settings) {
    if (head.has_body()) state_ = body_state::untouched;
  }

  /// Requires at most one call for each request. A second call is a bug in the service and gets internal_error.
  task<result<http::body_text>> read(std::size_t limit, http::body_share share) override;
  bool client_gone() const override { return transport_.peer_closed(); }
  /// Reads and drops an untouched body of at most `settings.drained_body` bytes. Returns false if the connection
  /// cannot be used any more.
  task<bool> drain();

  body_state state() const { return state_; }

 private:
  enum class arrival { bytes, timeout, gone };

  task<result<http::body_text>> read_counted(http::body_text into);
  task<result<http::body_text>> read_chunked(std::size_t limit, http::body_text into);
  task<bool> drain_counted();
  task<bool> drain_chunked();
  task<arrival> more(body_pace& pace);
  static error failure_of(arrival arrival);

  transport& transport_;
  input_buffer& input_;
  http::head_summary const& head_;
  session_settings const& settings_;
  body_state state_ = body_state::finished;
};

}  // namespace svc::net
