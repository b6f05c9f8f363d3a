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

/// A stream with its deadline, which a session reads and writes. No action of a client makes it throw.
/// Worker-local, owned by its session.
class transport {
 public:
  transport(asio::io_context& io, unique_fd descriptor, int family, tls_context const& tls, steady::duration tick)
      : stream_(io, std::move(descriptor), family, tls), watchdog_(io, stream_, tick) {}

  watchdog& deadline() { return watchdog_; }
  /// For use before the handshake.
  stream& raw() { return stream_; }

  /// Returns false if the client disconnected, or the caller's deadline expired.
  task<bool> handshake();
  /// Returns when an attempt to read may bring more than the last one did, and on expiry or `wake`.
  task<> readable();
  /// Returns true if the next message has started, maybe with less than one record.
  bool has_begun() const { return stream_.has_begun(); }
  /// Reads without waiting. Returns 0 if there is nothing to read, `std::nullopt` if the client disconnected.
  /// Do not wait for the socket after that, because the end of the stream has been read, maybe with the
  /// handshake, and the socket may stay silent.
  std::optional<std::size_t> read_now(std::span<char> into);
  /// Reads at least one byte. Returns 0 if the client disconnected or the caller's deadline expired (see
  /// `deadline`).
  task<std::size_t> read_some(std::span<char> into);
  /// Reads without waiting, to learn whether the client is still connected.
  stream::attempt hear(std::span<char> into) { return stream_.try_read(into); }
  /// Returns true if no more bytes will arrive. Neither waits nor reads.
  bool peer_closed() const { return stream_.peer_closed(); }
  /// Writes without waiting. Returns the number of written bytes, or `std::nullopt` if the client
  /// disconnected.
  std::optional<std::size_t> write_now(std::string_view bytes);
  /// Writes all bytes under its own deadlines: the client must read at the least pace of responses. Returns
  /// false if a part was not written.
  task<bool> write_all(std::string_view bytes, session_settings const& settings);
  /// Notifies the client that nothing more follows, then keeps reading for up to `patience`, because closing
  /// with unread bytes would send RST. The client might then lose an answer on its way (RFC 9112 section
  /// 9.6).
  task<> linger(std::span<char> scratch, steady::duration patience);

  /// Notifies the client that the connection ends; after an answer use `linger`.
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

/// Reads a PROXY header from the start of a connection and no byte beyond it: the rest belongs to TLS or to
/// the first request. The result is also `refused` if the client disconnects or the caller's deadline
/// expires.
task<http::proxy_header> read_proxy_header(transport& transport);

}  // namespace svc::net
