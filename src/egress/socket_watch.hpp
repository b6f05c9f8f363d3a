#pragma once

#include "svc/core/async.hpp"

#include <functional>
#include <memory>
#include <unordered_map>

namespace svc::egress {

/// Waits for sockets that a C library opens and closes itself (c-ares, libcurl), and tells it when they are ready.
/// Worker-local; owned by what owns the library's handle, and destroyed before the `io_context`.
///
/// The library calls `want` from inside its own functions, but `ready` is only called from the event loop, so the
/// library is never entered twice.
class socket_watch {
 public:
  /// `ready(socket, readable, writable)`; may end with the watch destroyed.
  using on_ready = std::function<void(int socket, bool readable, bool writable)>;

  socket_watch(asio::io_context& io, on_ready ready);
  ~socket_watch();
  socket_watch(socket_watch const&) = delete;
  socket_watch& operator=(socket_watch const&) = delete;

  /// What the library waits for on the socket from now on, until it says otherwise. Neither: the socket is let go,
  /// and the library may close it.
  void want(int socket, bool read, bool write);
  /// Reports nothing about the socket until `resume`, which does nothing for a socket that was let go.
  void pause(int socket);
  void resume(int socket);
  /// Lets all sockets go.
  void stop();

 private:
  struct watched;
  static void arm(std::shared_ptr<watched> const& thread);

  asio::io_context& io_;
  on_ready ready_;
  std::unordered_map<int, std::shared_ptr<watched>> all_;
};

}  // namespace svc::egress
