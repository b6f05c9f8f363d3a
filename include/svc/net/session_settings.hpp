#pragma once

#include <chrono>
#include <cstddef>

namespace svc::net {

/// Limits on the time and the memory that a client may use. The values here are the defaults.
struct session_settings {
  using duration = std::chrono::steady_clock::duration;

  duration tls_handshake = std::chrono::seconds(5);
  duration head = std::chrono::seconds(10);           ///< the whole head, from its first byte
  duration idle = std::chrono::seconds(75);           ///< longest wait for the first byte of a request
  duration first_in_drain = std::chrono::seconds(1);  ///< like `idle`, for the first request in a drain
  duration age = std::chrono::hours(1);               ///< age of a connection, up to a tenth less; 0: unlimited
  duration body_window = std::chrono::seconds(10);    ///< at least `body_window_bytes` in every such window
  std::size_t body_window_bytes = 5000;               ///< 500 B/s
  duration body_total = std::chrono::seconds(120);    ///< the whole body
  duration write = std::chrono::seconds(10);          ///< at least `write_window_bytes` in every such window
  std::size_t write_window_bytes = 5000;              ///< 500 B/s
  duration write_total = std::chrono::seconds(300);   ///< a whole response; for an event stream, one piece
  duration linger = std::chrono::seconds(1);          ///< time for the client to read our last response
  std::size_t drained_body = 64UL * 1024;             ///< an unread body up to this size keeps the connection
  std::size_t connections = 16'384;                   ///< per worker; beyond this number, idle connections are closed
  std::size_t reserved_connections = 32;       ///< per worker, in addition: while room is made, and for health checks
  std::size_t connections_per_address = 1024;  ///< over all workers, until a request of the connection is admitted
  std::size_t connections_per_user = 4096;     ///< over all workers

  /// Returns the shortest of the limits that recur with each request. A timer armed for this long seldom has to be
  /// armed earlier.
  duration shortest() const;
};

}  // namespace svc::net
