#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <functional>
#include <memory>
#include <unordered_map>

namespace svc::egress {

/// Waits for sockets that a C library (c-ares, libcurl) opens and closes itself, and notifies the library when they
/// are ready. Worker-local; owned by the owner of the library's handle, and destroyed before the `io_context`.
///
/// The library calls `want` from inside its own functions, but only the event loop calls `ready`, so the library is
/// never re-entered.
class socket_watch {
 public:
  /// `ready(socket, readable, writable)`; the callback may destroy the watch.
  using on_ready = std::function<void(int socket, bool readable, bool writable)>;

  socket_watch(asio::io_context& io, on_ready ready);
  ~socket_watch();
  socket_watch(socket_watch const&) = delete;
  socket_watch& operator=(socket_watch const&) = delete;

  /// Sets the events that the library waits for on the socket, until the next call. If both are false, the watch
  /// releases the socket, and the library may close it.
  void want(int socket, bool read, bool write);
  /// Reports nothing about the socket until `resume`, which does nothing for a released socket.
  void pause(int socket);
  void resume(int socket);
  /// Releases all sockets.
  void stop();

 private:
  struct watched;
  static void arm(std::shared_ptr<watched> const& thread);

  asio::io_context& io_;
  on_ready ready_;
  std::unordered_map<int, std::shared_ptr<watched>> all_;
};

using descriptor = asio::posix::basic_stream_descriptor<executor>;

/// Waits until the descriptor of a socket of our own is ready for reading or writing, the time is up, or the waiting
/// coroutine is cancelled. Returns true if the descriptor is ready or has an error.
inline task<bool> ready(std::shared_ptr<descriptor> descriptor, asio::posix::descriptor_base::wait_type type,
                        steady::time_point until) {
  steady_timer timer(descriptor->get_executor(), until);
  timer.async_wait([weak = std::weak_ptr(descriptor)](boost::system::error_code ec) {
    auto const alive = weak.lock();
    if (!ec && alive) alive->cancel();
  });
  auto const [ec] = co_await descriptor->async_wait(type, awaiting);
  co_return !ec;
}

}  // namespace svc::egress
