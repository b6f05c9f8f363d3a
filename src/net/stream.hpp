#pragma once

#include "net/unique_fd.hpp"
#include "svc/core/async.hpp"
#include "svc/net/tls_context.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

using SSL = struct ssl_st;

namespace svc::net {

/// A connected descriptor, TLS or plain. Worker-local, owned by one session. OpenSSL works on the non-blocking
/// descriptor directly: each operation is tried first, and waits for the socket only when OpenSSL asks for it. The
/// stream keeps no copy of data in flight, so an idle connection holds no buffer.
class stream {
 public:
  /// The outcome of an attempt. `gone` means the end of the stream or an error: nothing more can be done.
  enum class state { done, want_read, want_write, gone };
  struct attempt {
    state state;
    std::size_t bytes = 0;
  };

  /// `family` is that of the listener's socket; a null `tls` means plain. Throws if the system is out of memory or
  /// descriptors; the descriptor is closed then.
  stream(asio::io_context& io, unique_fd descriptor, int family, tls_context const& tls);

  /// Returns true if an attempt to read may succeed although the socket stays silent. OpenSSL then holds bytes, and
  /// no attempt has found that they are only the start of a record.
  bool has_pending() const;
  /// Returns true if OpenSSL holds unread bytes, maybe only a part of their record.
  bool has_begun() const;
  /// Returns the event to wait for before an attempt to read can bring more than the last one.
  state read_wants() const { return read_wants_ == state::want_write ? state::want_write : state::want_read; }

  attempt try_handshake();
  attempt try_read(std::span<char> into);
  attempt try_write(std::string_view bytes);
  /// Reads without decrypting, to discard the bytes. Allowed only after the last answer.
  attempt try_discard(std::span<char> scratch);

  /// Returns true if the client has sent its FIN, or the connection broke. Earlier bytes may still be unread.
  bool peer_closed() const;
  /// Reads the arrived bytes without consuming them. Allowed only before the handshake.
  attempt peek(std::span<char> into);
  /// Consumes that many of the peeked bytes. Returns false if they are not there.
  bool take(std::size_t bytes);

  /// Waits for the event that the last attempt needs. Does not report the socket's error: the next attempt finds it.
  task<> wait(state wanted);
  /// Ends a wait. The session knows the reason from its own state.
  void cancel();

  /// Notifies the client that nothing more follows (close_notify, FIN), without waiting.
  void shutdown_send();
  /// Closes the stream. A timer may call this: the waiting coroutine resumes and finds the stream gone.
  void close();

 private:
  using socket_type = asio::basic_stream_socket<asio::generic::stream_protocol, executor>;
  struct ssl_free {
    void operator()(SSL* ssl) const;
  };

  attempt classify(int result);

  socket_type socket_;
  std::unique_ptr<SSL, ssl_free> ssl_;
  state read_wants_ = state::done;  ///< outcome of the last attempt to read; `done` again after a write
  bool broken_ = false;             ///< after a fatal TLS error no alert may be sent (SSL_shutdown(3))
};

}  // namespace svc::net
