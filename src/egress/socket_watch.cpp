#include "egress/socket_watch.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

namespace svc::egress {

/// Outlives the watch in the handlers of its waits.
struct socket_watch::watched {
  explicit watched(asio::io_context& io, int socket, socket_watch* by) : descriptor(io, socket), owner(by) {}

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
  for (auto const& [socket, one] : all) one->let_go();
}

void socket_watch::want(int socket, bool read, bool write) {
  auto const found = all_.find(socket);
  if (!read && !write) {
    if (found == all_.end()) return;
    found->second->let_go();
    all_.erase(found);
    return;
  }
  auto const one = found != all_.end() ? found->second : std::make_shared<watched>(io_, socket, this);
  if (found == all_.end()) all_.emplace(socket, one);
  one->wants[0] = read;
  one->wants[1] = write;
  arm(one);
}

void socket_watch::pause(int socket) {
  if (auto const found = all_.find(socket); found != all_.end()) found->second->paused = true;
}

void socket_watch::resume(int socket) {
  auto const found = all_.find(socket);
  if (found == all_.end()) return;
  auto const one = found->second;
  one->paused = false;
  arm(one);
}

void socket_watch::arm(std::shared_ptr<watched> const& one) {
  for (int const way : {0, 1}) {
    if (one->paused || !one->wants[way] || one->waits[way]) continue;
    one->waits[way] = true;
    one->descriptor.async_wait(
        way == 0 ? asio::posix::descriptor_base::wait_read : asio::posix::descriptor_base::wait_write,
        [one, way](boost::system::error_code) {
          one->waits[way] = false;
          // Another error than that of letting go is the library's to find.
          if (one->owner == nullptr) return;
          if (one->wants[way] && !one->paused) one->owner->ready_(one->socket(), way == 0, way == 1);
          if (one->owner != nullptr) arm(one);
        });
  }
}

}  // namespace svc::egress
