#include "crash_receiver.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace svc::test {
namespace {

/// Part of a head that is larger than the data that a connection with a small window accepts.
constexpr std::size_t part_of_a_head = 4'096;

/// With these sizes the kernels of both sides keep about 36 KiB of unread data. A longer message keeps the sender
/// writing.
void set_window(int listener, bool narrow) {
  int const segment = narrow ? 536 : 32'768, buffer = narrow ? 1 : 1 << 20;
  setsockopt(listener, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
  setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
}

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string value_of(std::string const& text, std::string const& name) {
  auto const position = text.find("\n" + name + ": ");
  if (position == std::string::npos) return {};
  auto const begin = position + name.size() + 3, end = text.find('\r', begin);
  return end == std::string::npos ? std::string() : text.substr(begin, end - begin);
}

}  // namespace

crash_receiver::crash_receiver(protocol speaks) : speaks_(speaks) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  set_window(listener_, false);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 16) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("crash_receiver: no port");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

crash_receiver::~crash_receiver() {
  over_ = true;
  thread_.join();
  ::close(listener_);
}

void crash_receiver::stop_next_at(point where) {
  set_window(listener_, where == point::part);
  stop_ = where;
}

std::vector<crash_receiver::received> crash_receiver::take() {
  std::lock_guard const lock(mutex_);
  return std::exchange(received_, {});
}

void crash_receiver::run() {
  while (!over_) {
    pollfd poll{listener_, POLLIN, 0};
    if (::poll(&poll, 1, 20) <= 0) continue;
    int const fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    bytes_.clear();
    serve(fd);
    ::close(fd);
  }
}

void crash_receiver::serve(int fd) {
  auto const stop = stop_.exchange(point::none);
  if (stop != point::none) set_window(listener_, false);
  if (stops(fd, point::accepted, stop)) return;
  if (speaks_ == protocol::http) return serve_http(fd, stop);
  serve_smtp(fd, stop);
}

bool crash_receiver::read_more(int fd) {
  std::array<char, 4096> some{};
  while (!over_) {
    pollfd poll{fd, POLLIN, 0};
    if (::poll(&poll, 1, 20) <= 0) continue;
    auto const got = ::recv(fd, some.data(), some.size(), 0);
    if (got <= 0) return false;
    bytes_.append(some.data(), static_cast<std::size_t>(got));
    return true;
  }
  return false;
}

bool crash_receiver::stops(int fd, point here, point stop) {
  if (here != stop) return false;
  stopped_ = true;
  while (stopped_ && !over_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (read_more(fd)) {
  }
  note(here == point::whole || (speaks_ == protocol::http && is_whole()));
  return true;
}

bool crash_receiver::is_whole() const {
  auto const head = bytes_.find("\r\n\r\n");
  return head != std::string::npos && bytes_.size() >= head + 4 + std::stoul(value_of(bytes_, "Content-Length"));
}

void crash_receiver::note(bool whole) {
  std::lock_guard const lock(mutex_);
  received_.push_back({value_of(bytes_, speaks_ == protocol::http ? "webhook-id" : "Message-ID"), whole});
}

void crash_receiver::serve_http(int fd, point stop) {
  while (stop == point::part && bytes_.size() < part_of_a_head) {
    if (!read_more(fd)) return;
  }
  if (stops(fd, point::part, stop)) return;
  while (!is_whole()) {
    if (!read_more(fd)) return note(false);
  }
  if (stops(fd, point::whole, stop)) return;
  note(true);
  send_all(fd, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

std::string crash_receiver::read_line(int fd) {
  for (;;) {
    if (auto const end = bytes_.find("\r\n"); end != std::string::npos) {
      auto const line = bytes_.substr(0, end);
      bytes_.erase(0, end + 2);
      return line;
    }
    if (!read_more(fd)) return {};
  }
}

void crash_receiver::serve_smtp(int fd, point stop) {
  send_all(fd, "220 crash.test ESMTP\r\n");
  for (auto line = read_line(fd); !line.empty(); line = read_line(fd)) {
    if (line == "QUIT") return send_all(fd, "221 bye\r\n");
    if (line != "DATA") {
      send_all(fd, "250 OK\r\n");
      continue;
    }
    if (stops(fd, point::part, stop)) return;
    send_all(fd, "354 go on\r\n");
    while (!bytes_.ends_with("\r\n.\r\n")) {
      if (!read_more(fd)) return note(false);
    }
    if (stops(fd, point::whole, stop)) return;
    note(true);
    bytes_.clear();
    send_all(fd, "250 taken\r\n");
  }
}

}  // namespace svc::test
