#include "svc/net/listener.hpp"

#include "net/listen_socket.hpp"
#include "net/session_host.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/net/worker_connections.hpp"

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

namespace svc::net {
namespace {

/// Pause when descriptors or memory run out: clients wait in the backlog until other connections end.
constexpr auto back_off = milliseconds(100);
/// Time for full workers to close waiting connections; clients wait in the backlog meanwhile.
constexpr auto room_pause = milliseconds(10);
/// Connections accepted before the thread's other work gets a turn.
constexpr int accepted_at_once = 64;

}  // namespace

/// Owned by the listener and, while it runs, by its coroutine.
class listener::acceptor {
 public:
  acceptor(asio::io_context& io, listen_socket opened, listener_traits traits,
           std::vector<worker_connections*> workers)
      : address_(std::move(opened.address)),
        unix_path_(std::move(opened.unix_path)),
        family_(opened.family),
        traits_(traits),
        socket_(io.get_executor(), opened.descriptor.get()),
        pause_(io.get_executor()),
        workers_(std::move(workers)) {
    opened.descriptor.release();
  }

  std::string const& address() const { return address_; }
  auto get_executor() { return socket_.get_executor(); }

  task<> run(std::shared_ptr<acceptor> self) {
    while (self->socket_.is_open()) {
      bool accepted = false;
      try {
        accepted = co_await self->accept_next();
        if (accepted && std::exchange(self->failing_, false))
          log::info("accepting connections again", {{"address", self->address_}});
      } catch (std::exception const& e) {
        if (!std::exchange(self->failing_, true))
          log::error("cannot accept connections, trying again", {{"address", self->address_}, {"why", e.what()}});
      }
      if (accepted || !self->socket_.is_open()) continue;
      self->pause_.expires_after(back_off);
      co_await self->pause_.async_wait(awaiting);
    }
  }

  void stop() {
    if (!socket_.is_open()) return;
    boost::system::error_code ignored;
    socket_.close(ignored);
    pause_.cancel();
    if (!unix_path_.empty()) ::unlink(unix_path_.c_str());
  }

 private:
  /// False when the caller should pause before it tries again.
  task<bool> accept_next() {
    co_await socket_.async_wait(socket_.wait_read, awaiting);
    SVC_FAILPOINT("listener.before_accept");
    if (socket_.is_open() && full()) co_await ask_for_room();
    co_return !socket_.is_open() || accept_waiting();
  }

  bool full() const {
    return std::ranges::all_of(workers_, [](auto* each) { return each->full(); });
  }

  task<> ask_for_room() {
    for (auto* each : workers_) asio::post(each->io(), [each] { each->make_room(); });
    pause_.expires_after(room_pause);
    co_await pause_.async_wait(awaiting);
  }

  /// False when the system has no resources for another connection.
  bool accept_waiting() {
    // When no worker made room, new connections are closed at once instead of being left waiting.
    auto const no_room = full();
    for (int i = 0; i < accepted_at_once && (no_room || !full()); ++i) {
      sockaddr_storage peer{};
      socklen_t size = sizeof peer;
      unique_fd fd(::accept4(socket_.native_handle(), reinterpret_cast<sockaddr*>(&peer), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (fd) {
        hand_over({std::move(fd), family_, peer_address(peer), traits_});
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        return false;
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        break;
      }
      // Otherwise only this connection failed (accept(2) passes on its pending network errors): try the next one.
    }
    return true;
  }

  void hand_over(arrival taken) {
    auto* const target =
        *std::min_element(workers_.begin(), workers_.end(), [](auto* a, auto* b) { return a->load() < b->load(); });
    if (!target->reserve()) return;
    asio::post(target->io(), [target, taken = std::move(taken)]() mutable { target->adopt(std::move(taken)); });
  }

  std::string address_;
  std::string unix_path_;
  int family_;
  listener_traits traits_;
  asio::posix::basic_stream_descriptor<executor> socket_;
  steady_timer pause_;
  std::vector<worker_connections*> workers_;
  bool failing_ = false;  ///< after an unexpected error, which was logged
};

listener::listener(asio::io_context& io, std::string const& address, listener_traits traits,
                   std::vector<worker_connections*> workers, int inherited)
    : acceptor_(std::make_shared<acceptor>(io,
                                           inherited == not_inherited
                                               ? open_listen_socket(address, traits.unix_mode)
                                               : adopt_listen_socket(unique_fd(inherited), address),
                                           traits, std::move(workers))) {}

listener::~listener() {
  stop();
}

void listener::start() {
  spawn_task(acceptor_->get_executor(), acceptor_->run(acceptor_));
}

void listener::stop() {
  acceptor_->stop();
}

std::string const& listener::address() const {
  return acceptor_->address();
}

}  // namespace svc::net
