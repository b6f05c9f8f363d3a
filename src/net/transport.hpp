#pragma once

#include "net/stream.hpp"
#include "net/watchdog.hpp"
#include "svc/http/client_address.hpp"
#include "svc/net/session_settings.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace svc::net {

/// A stream and its deadline: what a session reads from and writes to. Nothing here throws for what a client does.
/// Worker-local, owned by its session.
class transport {
 public:
  transport(asio::io_context& io, unique_fd descriptor, int family, tls_context const& tls, steady::duration tick)
      : stream_(io, std::move(descriptor), family, tls), watchdog_(io, stream_, tick) {}

  watchdog& deadline() { return watchdog_; }
  /// For use before the handshake.
  stream& raw() { return stream_; }

  /// False when the client went away, or the deadline that the caller has set expired.
  task<bool> handshake();
  /// Returns when an attempt to read may bring more than the last one did, and on expiry or `wake`.
  task<> readable();
  /// The next message has begun, though maybe not even one record of it is here.
  bool has_begun() const { return stream_.has_begun(); }
  /// Without waiting: 0 when nothing is there, nothing when the client went away. Do not wait for the socket after
  /// that: the end of the stream has been read, maybe with the handshake, so the socket may stay silent.
  std::optional<std::size_t> read_now(std::span<char> into);
  /// At least one byte, or 0 when the client went away or the caller's deadline expired (see `deadline`).
  task<std::size_t> read_some(std::span<char> into);
  /// Without waiting, to learn whether the client is still there.
  stream::attempt hear(std::span<char> into) { return stream_.try_read(into); }
  /// Without waiting and without reading: true when nothing will arrive any more.
  bool peer_closed() const { return stream_.peer_closed(); }
  /// Without waiting; how many bytes were taken, nothing when the client went away.
  std::optional<std::size_t> write_now(std::string_view bytes);
  /// Sets its own deadlines: the client must read at the least pace of responses. False when not all of it could be
  /// written.
  task<bool> write_all(std::string_view bytes, session_settings const& settings);
  /// Tells the client that nothing more comes, then keeps reading for up to `patience`: closing with unread bytes
  /// would send RST, and the client might lose an answer that is still on its way (RFC 9112 section 9.6).
  task<> linger(std::span<char> scratch, steady::duration patience);

  /// Tells the client that the connection ends here; after an answer use `linger`.
  void say_goodbye() { stream_.shutdown_send(); }
  /// Resumes a coroutine that waits in `readable`.
  void wake() { stream_.cancel(); }
  void close() { stream_.close(); }

 private:
  task<bool> write_rest(std::string_view bytes, session_settings const& settings);
  task<> wait(stream::state wanted);
  /// Counts an attempt against this connection's turn.
  void charge(stream::attempt const& made);
  bool turn_is_over() const;
  /// Ends the turn, so that the worker's other connections get theirs.
  task<> give_way();

  stream stream_;
  watchdog watchdog_;
  std::size_t turn_ = 0;  ///< bytes since this connection last waited
};

/// Reads a PROXY header from the start of a connection and no byte beyond it: the rest belongs to TLS or to the first
/// request. `refused` also when the client goes away or the deadline that the caller has set expires.
task<http::proxy_header> read_proxy_header(transport& transport);

}  // namespace svc::net
