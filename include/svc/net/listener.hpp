#pragma once

#include "svc/core/async.hpp"

#include <memory>
#include <string>
#include <vector>

namespace svc::net {

class worker_connections;

/// Means that the listener opens its own socket and uses no descriptor of another process.
inline constexpr int not_inherited = -1;

/// The peer address of a client on a Unix socket.
inline constexpr char const* unix_peer = "unix";

/// Properties that all connections of a listener share. A value.
struct listener_traits {
  bool tls = true;              ///< false: plain, for use behind a proxy on the same machine
  bool proxy_protocol = false;  ///< each connection starts with a PROXY header; connections without one are closed
  unsigned unix_mode = 0660;    ///< mode of the socket's path: decides who may connect
};

/// Accepts connections for all workers and hands each connection to the worker with the fewest. Lives on the thread
/// that runs `io` (worker 0's, or its own); the workers outlive it.
class listener {
 public:
  /// Binds and listens, so clients can connect from now on; they wait until `start`. `address` is
  /// `IPv4:port`, `[IPv6]:port` (port 0: any) or `unix:/path` (at most 107 bytes). The constructor replaces a
  /// socket that a dead process left at the path. `inherited` is a socket that listens already. The listener
  /// uses and owns it whatever its address, and never removes its path. Other processes may hold the same
  /// socket, so clients that wait for acceptance outlive this process. Throws `std::runtime_error` with the
  /// address and the reason.
  listener(asio::io_context& io, std::string const& address, listener_traits traits,
           std::vector<worker_connections*> workers, int inherited = not_inherited);
  listener(listener const&) = delete;
  listener& operator=(listener const&) = delete;
  /// Stops.
  ~listener();

  void start();
  /// Stops accepting, and removes the path of a Unix socket that this listener created.
  void stop();
  /// Returns the address as given, with the real port. The address of an inherited socket is the socket's own.
  std::string const& address() const;

 private:
  class acceptor;
  std::shared_ptr<acceptor> acceptor_;
};

}  // namespace svc::net
