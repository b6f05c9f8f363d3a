#include "support/stalled_clients.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace svc::test {
namespace {

using clock = std::chrono::steady_clock;

int connect_to(std::string const& url, bool reads) {
  auto const rest = url.substr(url.find("//") + 2);
  auto const colon = rest.rfind(':');
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(std::stoi(rest.substr(colon + 1))));
  ::inet_pton(AF_INET, rest.substr(0, colon).c_str(), &where.sin_addr);
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  ::inet_pton(AF_INET, stalled_clients::address, &own.sin_addr);
  ::bind(fd, reinterpret_cast<sockaddr const*>(&own), sizeof own);
  int const small = 4096;
  if (!reads) ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  if (::connect(fd, reinterpret_cast<sockaddr const*>(&where), sizeof where) != 0) {
    ::close(fd);
    throw std::runtime_error("cannot connect to " + url);
  }
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

}  // namespace

struct stalled_clients::stalled_connection {
  stalled_connection(int descriptor, SSL_CTX* context)
      : fd(descriptor), ssl(context == nullptr ? nullptr : SSL_new(context)) {
    if (ssl != nullptr) SSL_set_fd(ssl, fd);
  }
  stalled_connection(stalled_connection const&) = delete;
  stalled_connection& operator=(stalled_connection const&) = delete;
  ~stalled_connection() {
    SSL_free(ssl);
    ::close(fd);
  }

  int write(std::string const& bytes) const {
    if (ssl != nullptr) return SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size()));
    return static_cast<int>(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  /// Discards what was answered, but not the end of the connection.
  void read() const {
    std::array<char, 4096> scratch;
    while ((ssl != nullptr ? SSL_read(ssl, scratch.data(), scratch.size())
                           : static_cast<int>(::recv(fd, scratch.data(), scratch.size(), 0))) > 0) {
    }
  }

  int fd;
  SSL* ssl;
  bool stalling = false, ended = false;
  clock::time_point next{};  ///< when more is sent
};

stalled_clients::stalled_clients(std::string const& url, stall stall, std::size_t count)
    : url_(url),
      stall_(std::move(stall)),
      events_(::epoll_create1(EPOLL_CLOEXEC)),
      count_(count),
      thread_(&stalled_clients::run, this) {}

stalled_clients::~stalled_clients() {
  over_ = true;
  thread_.join();
  ::close(events_);
}

void stalled_clients::open_more(std::deque<stalled_connection>& all, SSL_CTX* context) {
  constexpr std::size_t at_once = 20;  // handshakes; others need the listener's backlog, too
  while (all.size() < count_ && all.size() < stalling_ + at_once) {
    auto& c = all.emplace_back(connect_to(url_, stall_.reads), stall_.tls ? context : nullptr);
    // Edge-triggered: unread data is reported once. Clients that do not read still learn of the end.
    epoll_event wanted{.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data = {.ptr = &c}};
    ::epoll_ctl(events_, EPOLL_CTL_ADD, c.fd, &wanted);
    advance(c);
  }
}

void stalled_clients::advance(stalled_connection& c) {
  ERR_clear_error();
  if (!c.stalling) {
    if (c.ssl != nullptr && SSL_connect(c.ssl) != 1) return;
    if (!stall_.opening.empty() && c.write(stall_.opening) <= 0) return;
    c.stalling = true;
    ++stalling_;
    c.next = clock::now() + stall_.pace;
  }
  if (stall_.reads) c.read();
}

void stalled_clients::trickle(std::deque<stalled_connection>& all) {
  auto const now = clock::now();
  for (auto& c : all) {
    if (!c.stalling || now < c.next) continue;
    ERR_clear_error();
    c.write(stall_.trickle);
    c.next += stall_.pace;
  }
}

void stalled_clients::hear_end(stalled_connection& c) {
  if (std::exchange(c.ended, true)) return;
  if (ended_++ == 0) first_end_ = clock::now();
}

void stalled_clients::run() {
  // Only this thread. SCHED_IDLE would never run on a machine that others keep busy.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10);
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> const context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  std::deque<stalled_connection> all;
  std::array<epoll_event, 64> happened;
  while (!over_) {
    open_more(all, context.get());
    auto const count = ::epoll_wait(events_, happened.data(), happened.size(), 10);
    for (int i = 0; i < count; ++i) {
      auto const& event = happened[static_cast<std::size_t>(i)];
      auto& c = *static_cast<stalled_connection*>(event.data.ptr);
      if ((event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) hear_end(c);
      advance(c);
    }
    if (!stall_.trickle.empty()) trickle(all);
  }
}

}  // namespace svc::test
