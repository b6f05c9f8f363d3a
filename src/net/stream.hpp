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
/// descriptor directly: try the operation first, and wait for the socket only when OpenSSL asks for it. No copy of
/// data in flight is kept, so an idle connection holds no buffer.
class stream {
 public:
  /// The outcome of an attempt. `gone`: end of stream or an error, nothing more can be done.
  enum class state { done, want_read, want_write, gone };
  struct attempt {
    state state;
    std::size_t bytes = 0;
  };

  /// `family` is that of the listener's socket; a null `tls` means plain. Throws when the system is out of
  /// memory or descriptors; the descriptor is closed then.
  stream(asio::io_context& io, unique_fd descriptor, int family, tls_context const& tls);

  /// True when an attempt to read may bring something although the socket stays silent: bytes wait inside OpenSSL,
  /// and no attempt has found that they are only the beginning of a record.
  bool has_pending() const;
  /// OpenSSL holds bytes that have not been read yet, maybe only a part of their record.
  bool has_begun() const;
  /// What to wait for before an attempt to read can bring more than the last one.
  state read_wants() const { return read_wants_ == state::want_write ? state::want_write : state::want_read; }

  attempt try_handshake();
  attempt try_read(std::span<char> into);
  attempt try_write(std::string_view bytes);
  /// Reads without decrypting, to discard the bytes: only after the last answer.
  attempt try_discard(std::span<char> scratch);

  /// The client has sent its FIN, or the connection broke; what it sent before may still be unread.
  bool peer_closed() const;
  /// Looks at what has arrived and leaves it there; only before the handshake.
  attempt peek(std::span<char> into);
  /// Consumes that many of the bytes that were peeked at. False when they are not there.
  bool take(std::size_t bytes);

  /// Waits for what the last attempt wanted. Does not report the socket's error: the next attempt finds it.
  task<> wait(state wanted);
  /// Ends a wait. The session knows the reason from its own state.
  void cancel();

  /// Tells the client that nothing more comes (close_notify, FIN), without waiting.
  void shutdown_send();
  /// May be called from a timer: the waiting coroutine is resumed and finds the stream gone.
  void close();

 private:
  using socket_type = asio::basic_stream_socket<asio::generic::stream_protocol, executor>;
  struct ssl_free {
    void operator()(SSL* ssl) const;
  };

  attempt judge(int result);

  socket_type socket_;
  std::unique_ptr<SSL, ssl_free> ssl_;
  state read_wants_ = state::done;  ///< outcome of the last attempt to read; `done` again after a write
  bool broken_ = false;             ///< after a fatal TLS error no alert may be sent (SSL_shutdown(3))
};

}  // namespace svc::net
