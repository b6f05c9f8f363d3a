#include "egress/socket_watch.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

namespace svc::egress {

/// Outlives the watch in the handlers of its waits.
struct socket_watch::watched {
  explicit watched(asio::io_context& io, int socket, socket_watch* watch) : descriptor(io, socket), owner(watch) {}

  asio::posix::basic_stream_descriptor<executor> descriptor;
  socket_watch* owner;             // null once let go
  bool wants[2] = {false, false};  // read, write
  bool waits[2] = {false, false};  // a wait is under way
  bool paused = false;
  int socket() { return descriptor.native_handle(); }

  void let_go() {
    owner = nullptr;
    // Not closed: it is the library's. Ends the waits.
    descriptor.release();
  }
};

socket_watch::socket_watch(asio::io_context& io, on_ready ready) : io_(io), ready_(std::move(ready)) {}

socket_watch::~socket_watch() {
  stop();
}

void socket_watch::stop() {
  auto const all = std::move(all_);
  all_.clear();
  for (auto const& [socket, watch] : all) watch->let_go();
}

void socket_watch::want(int socket, bool read, bool write) {
  auto const found = all_.find(socket);
  if (!read && !write) {
    if (found == all_.end()) return;
    found->second->let_go();
    all_.erase(found);
    return;
  }
  auto const thread = found != all_.end() ? found->second : std::make_shared<watched>(io_, socket, this);
  if (found == all_.end()) all_.emplace(socket, thread);
  thread->wants[0] = read;
  thread->wants[1] = write;
  arm(thread);
}

void socket_watch::pause(int socket) {
  if (auto const found = all_.find(socket); found != all_.end()) found->second->paused = true;
}

void socket_watch::resume(int socket) {
  auto const found = all_.find(socket);
  if (found == all_.end()) return;
  auto const thread = found->second;
  thread->paused = false;
  arm(thread);
}

void socket_watch::arm(std::shared_ptr<watched> const& thread) {
  for (int const way : {0, 1}) {
    if (thread->paused || !thread->wants[way] || thread->waits[way]) continue;
    thread->waits[way] = true;
    thread->descriptor.async_wait(
        way == 0 ? asio::posix::descriptor_base::wait_read : asio::posix::descriptor_base::wait_write,
        [thread, way](boost::system::error_code) {
          thread->waits[way] = false;
          // Another error than that of letting go is the library's to find.
          if (thread->owner == nullptr) return;
          if (thread->wants[way] && !thread->paused) thread->owner->ready_(thread->socket(), way == 0, way == 1);
          if (thread->owner != nullptr) arm(thread);
        });
  }
}

}  // namespace svc::egress
