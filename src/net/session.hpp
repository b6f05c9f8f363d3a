#pragma once

#include "net/request_buffers.hpp"
#include "net/session_host.hpp"
#include "net/transport.hpp"
#include "svc/core/result.hpp"
#include "svc/http/message.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace svc::net {

class body_reader;

/// One connection. Serves its requests one after another in the order of arrival, pipelined ones too. Worker-local.
/// Owned by its own coroutine and its timer; the host only keeps a plain pointer to it. No exception leaves it: a
/// failure closes this connection and no other.
class session final : public std::enable_shared_from_this<session>,
                      public http::connection,
                      public connection_table::entry {
 public:
  session(asio::io_context& io, reserved_connection connection, arrival taken, tls_context const& tls);
  session(session const&) = delete;
  session& operator=(session const&) = delete;
  ~session();

  /// Runs until the connection ends; `self` keeps this object alive.
  task<> run(std::shared_ptr<session> self);

  /// Call after the host's `draining` was set.
  void drain();
  void close() { transport_.close(); }

  void admitted(uuid const& user) override;

 private:
  enum class head_state : std::uint8_t { complete, refused, stalled, gone };

  task<bool> arrive();
  bool enter();
  task<> serve_requests();
  task<bool> next_request();
  task<head_state> receive_head();
  task<bool> answer();
  /// `reads_on` is true if bytes of the request are missing, so that the buffers must stay during the
  /// response.
  task<bool> send(http::response response, bool keep, bool head_only, bool reads_on);
  task<> stream_out(std::shared_ptr<http::body_stream> body, bool chunked);
  task<> refuse(error failure);
  void leave_buffers();
  void make_room() override;
  bool on_reserve();
  void leave_reserve();

  reserved_connection connection_;
  session_host& host_;
  transport transport_;
  std::string peer_;                            ///< address of the client, or of a proxy that serves many
  bool const proxy_protocol_;                   ///< the connection must begin with a PROXY header
  bool const secure_;                           ///< speaks TLS
  steady::time_point const old_at_;             ///< time from which the next answer is the last
  bool trusted_ = false;                        ///< the peer may name the client of each request
  std::unique_ptr<request_buffers> buffers_{};  ///< null while idle
  http::body_stream* streamed_ = nullptr;
  bool pins_tls_ = false;  ///< the current answer tells browsers to keep to TLS
  bool idle_ = false;      ///< waits for the first byte of a request
  bool asked_ = false;     ///< a whole head has arrived
  bool leaving_ = false;
  bool too_many_ = false;  ///< its user is at the limit of connections
};

}  // namespace svc::net
