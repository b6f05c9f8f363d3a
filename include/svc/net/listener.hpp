#pragma once

#include "svc/core/async.hpp"

#include <memory>
#include <string>
#include <vector>

namespace svc::net {

class worker_connections;

/// Instead of a descriptor that another process has opened.
inline constexpr int not_inherited = -1;

/// The peer address of a client on a Unix socket.
inline constexpr char const* unix_peer = "unix";

/// What all connections of a listener have in common. A value.
struct listener_traits {
  bool tls = true;              ///< false: plain, for use behind a proxy on the same machine
  bool proxy_protocol = false;  ///< each connection begins with a PROXY header; others are closed
  unsigned unix_mode = 0660;    ///< of the socket's path: who may connect
};

/// Accepts connections for all workers and hands each to the worker with the fewest. Lives on the thread that runs
/// `io` (worker 0's, or its own); the workers outlive it.
class listener {
 public:
  /// `address` is `IPv4:port`, `[IPv6]:port` (port 0: any) or `unix:/path` (at most 107 bytes); a socket
  /// that a dead process left at the path is replaced. Binds and listens, so clients can connect from now on; they
  /// wait until `start`. `inherited`: a socket that listens already, which is used whatever its address and becomes
  /// this object's; others may hold the same socket, so clients that nobody has accepted outlive this process. Its
  /// path is never removed. Throws `std::runtime_error` with the address and the reason.
  listener(asio::io_context& io, std::string const& address, listener_traits traits,
           std::vector<worker_connections*> workers, int inherited = not_inherited);
  listener(listener const&) = delete;
  listener& operator=(listener const&) = delete;
  /// Stops.
  ~listener();

  void start();
  /// Stops accepting; removes the path of a Unix socket that it made.
  void stop();
  /// The address as given, with the real port; of an inherited socket, its own.
  std::string const& address() const;

 private:
  class acceptor;
  std::shared_ptr<acceptor> acceptor_;
};

}  // namespace svc::net
