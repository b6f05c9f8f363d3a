#pragma once

#include "net/transport.hpp"
#include "svc/http/message.hpp"
#include "svc/net/session_settings.hpp"

#include <cstddef>
#include <string>

namespace svc::net {

/// Sends a body that is produced over time, and notices when its client goes away. Holds bytes only while the socket
/// does not take them: asks for the next piece after the last byte of the previous one was sent. Worker-local; lives
/// in the session's coroutine.
class body_sender {
 public:
  /// `frame` is scratch that all sessions of the worker share; it is used between two suspensions only.
  body_sender(transport& transport, http::body_stream& stream, std::string& frame, session_settings const& settings,
              bool chunked)
      : transport_(transport), body_(stream), frame_(frame), settings_(settings), chunked_(chunked) {}
  body_sender(body_sender const&) = delete;
  body_sender& operator=(body_sender const&) = delete;
  ~body_sender() { body_.stop(); }

  /// Returns true at the body's end, false if the client disconnected or stopped reading.
  task<bool> send();
  std::size_t bytes() const { return bytes_; }

 private:
  task<bool> write(std::string_view bytes);
  task<bool> wait();

  transport& transport_;
  http::body_stream& body_;
  std::string& frame_;
  session_settings const& settings_;
  bool chunked_;
  bool waiting_ = false;
  std::size_t bytes_ = 0;
  std::size_t heard_ = 0;  ///< bytes that the client sent meanwhile; discarded
};

}  // namespace svc::net
