#pragma once

#include "net/body_pace.hpp"
#include "net/keep_alive.hpp"
#include "net/request_buffers.hpp"
#include "net/transport.hpp"
#include "svc/http/framing_guard.hpp"
#include "svc/http/message.hpp"

namespace svc::net {

/// The body of one request, read when the service asks for it. Lives in its session's frame for one
/// exchange; worker-local.
class body_reader final : public http::body_source {
 public:
  body_reader(transport& wire, input_buffer& input, http::head_summary const& head, session_settings const& settings)
      : transport_(wire), input_(input), head_(head), settings_(settings) {
    if (head.has_body()) state_ = body_state::untouched;
  }

  /// Once per request. A second call is a bug in the service and gets internal_error.
  task<result<http::body_text>> read(std::size_t limit, http::body_share share) override;
  bool client_gone() const override { return transport_.peer_closed(); }
  /// Reads and drops an untouched body of at most `settings.drained_body` bytes; false: the connection is
  /// of no more use.
  task<bool> drain();

  body_state state() const { return state_; }

 private:
  enum class arrival { bytes, timeout, gone };

  task<result<http::body_text>> read_counted(http::body_text into);
  task<result<http::body_text>> read_chunked(std::size_t limit, http::body_text into);
  task<bool> drain_counted();
  task<bool> drain_chunked();
  task<arrival> more(body_pace& pace);
  static error why(arrival how);

  transport& transport_;
  input_buffer& input_;
  http::head_summary const& head_;
  session_settings const& settings_;
  body_state state_ = body_state::finished;
};

}  // namespace svc::net
