#pragma once

#include "redis/tls.hpp"
#include "svc/core/backoff.hpp"
#include "svc/redis/client.hpp"
#include "svc/redis/primary_locator.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>

namespace svc::redis {

/// The pause between attempts to connect. It is short, because the answer to a change waits until Redis has
/// the change.
inline constexpr backoff reconnect_pause{milliseconds(50), milliseconds(500)};

/// A byte stream to Redis over TCP, a Unix socket or TLS. One per physical connection, worker-local; opened once,
/// closed once. At most one coroutine receives.
class transport {
 public:
  /// `address` is the server, unless the settings name a Unix socket. `tls` is null for a plain stream; it
  /// and `where` outlive the transport.
  transport(asio::io_context& io, settings const& where, address address, tls_context const* tls);

  /// Resolves, connects and does the TLS handshake. Returns false with the reason in `fault()`. Has no time limit of
  /// its own; `close` ends it early.
  task<bool> open();

  enum class state { data, nothing, closed };
  struct received_bytes {
    state state;
    std::string_view bytes{};  ///< valid until the next receive
  };
  /// Waits for bytes. `nothing` means a call of `wake`, or a TLS record without data.
  task<received_bytes> receive();
  /// Returns the bytes that the socket already holds. Call it only while no `receive` waits, because the
  /// bytes that it has read precede them.
  received_bytes receive_now();
  /// Makes a waiting `receive` return in a later turn of the event loop, with the bytes it has read, if any. Also
  /// ends a wait in `async_writable`.
  void wake();

  /// Writes without waiting; returns the number of accepted bytes. TLS accepts all and keeps the bytes that the
  /// socket does not accept; it accepts none while such bytes are left.
  std::size_t send(std::string_view bytes);
  /// True if the last `send` left bytes that must wait for the socket.
  bool blocked() const { return blocked_; }
  template <class Handler>
  void async_writable(Handler&& handler) {
    socket_.async_wait(socket::wait_write, std::forward<Handler>(handler));
  }

  void close();
  bool closed() const { return closed_; }
  /// False also after a failed write; the receiver then reaches the end of the stream.
  bool writable() const { return !closed_ && !write_failed_; }
  std::string const& fault() const { return fault_; }

 private:
  using socket = asio::basic_stream_socket<asio::generic::stream_protocol, executor>;
  using resolver = asio::ip::basic_resolver<asio::ip::tcp, executor>;

  task<bool> connect();
  task<bool> connect_to(asio::generic::stream_protocol::endpoint endpoint);
  task<bool> resolve_and_connect();
  task<bool> shake_hands();
  received_bytes taken(std::size_t size);
  received_bytes lost(std::string reason);
  std::size_t send_plain(std::string_view bytes);
  void send_cipher();

  settings const& where_;
  address const address_;
  socket socket_;
  resolver resolver_;
  std::optional<tls_engine> tls_;
  std::string cipher_out_;  // TLS only: encrypted, not yet in the socket
  std::string plain_in_;    // TLS only
  std::array<char, 16 * 1024> input_;
  std::string fault_;
  bool blocked_ = false;
  bool write_failed_ = false;
  bool closed_ = false;
};

}  // namespace svc::redis
