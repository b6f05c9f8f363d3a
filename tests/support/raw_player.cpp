#include "support/raw_player.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <memory>
#include <stdexcept>

namespace svc::test {
namespace {

using steady = std::chrono::steady_clock;

int connect_socket(std::string const& host, int port) {
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, host.c_str(), &where.sin_addr);
  int const context = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &context, sizeof context);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof where) != 0) {
    if (fd >= 0) ::close(fd);
    throw std::runtime_error("cannot connect to " + host + ":" + std::to_string(port));
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

/// Size of the response at the beginning of the text, including its head; 0: incomplete, or not HTTP.
std::size_t response_size(std::string_view text) {
  auto const end = text.find("\r\n\r\n");
  if (end == text.npos) return 0;
  auto const head = end + 4;
  auto const position = text.substr(0, head).find("\r\nContent-Length: ");
  if (position == text.npos) return head;
  auto const size = head + std::stoul(std::string(text.substr(position + 18, 20)));
  // An answer to HEAD: the next response, or nothing, follows instead of the body.
  bool const bare = text.size() == head || text.substr(head).starts_with("HTTP/1.");
  if (bare) return head;
  return size <= text.size() ? size : 0;
}

}  // namespace

std::vector<int> statuses_of(std::string_view received) {
  std::vector<int> out;
  while (!received.empty()) {
    auto const size = received.starts_with("HTTP/1.1 ") ? response_size(received) : 0;
    if (size < 13) {
      out.push_back(-1);
      break;
    }
    auto const status = std::stoi(std::string(received.substr(9, 3)));
    if (status >= 200) out.push_back(status);
    received.remove_prefix(size);
  }
  return out;
}

std::string raw_outcome::text() const {
  std::string out;
  auto shown = statuses;
  if (probed && !shown.empty() && shown.back() == 200) shown.pop_back();
  for (auto const status : shown) out += (out.empty() ? "" : " ") + std::to_string(status);
  if (closed) out += out.empty() ? "close" : " close";
  if (!closed && !probed) out += " and no end";
  return out;
}

struct raw_player::slot {
  int fd = -1;
  SSL* tls = nullptr;
  bool secured = false;
  raw_exchange exchange{};
  std::size_t index = 0, next_write = 0, offset = 0;
  bool probe_sent = false, broken = false;
  short wanted = POLLOUT;
  steady::time_point started{}, sent{};
  raw_outcome out{};

  bool busy() const { return fd >= 0; }

  void end() {
    SSL_free(tls);
    ::close(fd);
    fd = -1;
    tls = nullptr;
  }

  /// Does everything that does not wait; true when the exchange is over.
  bool step() {
    wanted = POLLIN;
    if (tls != nullptr && !secured && !handshake()) return out.closed;
    while (next_write < exchange.writes.size() && !broken)
      if (!write()) break;
    read();
    if (!exchange.probe.empty() && out.statuses.size() >= exchange.answers && !probe_sent) {
      probe_sent = true;
      exchange.writes.push_back(exchange.probe);
      wanted |= POLLOUT;
    }
    out.probed = probe_sent && out.received.find(exchange.probe_id) != out.received.npos;
    return out.closed || (out.probed && out.statuses.size() > exchange.answers && out.statuses.back() > 0);
  }

  bool handshake() {
    auto const n = SSL_connect(tls);
    if (n == 1) return secured = true;
    auto const reason = SSL_get_error(tls, n);
    ERR_clear_error();
    wanted = reason == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN;
    out.closed = reason != SSL_ERROR_WANT_WRITE && reason != SSL_ERROR_WANT_READ;
    return false;
  }

  /// True when the next write may begin.
  bool write() {
    auto const rest = std::string_view(exchange.writes[next_write]).substr(offset);
    if (!rest.empty()) {
      auto const n = tls != nullptr ? SSL_write(tls, rest.data(), static_cast<int>(rest.size()))
                                    : static_cast<int>(::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL));
      if (n <= 0) {
        bool const later = tls != nullptr ? SSL_get_error(tls, n) == SSL_ERROR_WANT_WRITE : errno == EAGAIN;
        ERR_clear_error();
        if (later) wanted |= POLLOUT;
        broken = !later;
        return false;
      }
      offset += static_cast<std::size_t>(n);
      if (offset < exchange.writes[next_write].size()) return true;
    }
    ++next_write;
    offset = 0;
    if (!probe_sent) sent = steady::now();
    return true;
  }

  void read() {
    char block[16384];
    bool grown = false;
    for (;;) {
      auto const n =
          tls != nullptr ? SSL_read(tls, block, sizeof block) : static_cast<int>(::recv(fd, block, sizeof block, 0));
      if (n > 0) {
        out.received.append(block, static_cast<std::size_t>(n));
        grown = true;
        continue;
      }
      auto const reason = tls != nullptr ? SSL_get_error(tls, n) : SSL_ERROR_NONE;
      ERR_clear_error();
      bool const later =
          tls != nullptr ? reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE : n < 0 && errno == EAGAIN;
      out.closed = !later;
      break;
    }
    if (grown) out.statuses = statuses_of(out.received);
    // An incomplete answer does not count unless the connection ends with it.
    if (!out.closed && !out.statuses.empty() && out.statuses.back() == -1) out.statuses.pop_back();
  }
};

raw_player::raw_player(std::string const& address, security security, std::size_t at_once) : at_once_(at_once) {
  auto const colon = address.rfind(':');
  host_ = address.substr(0, colon);
  port_ = std::stoi(address.substr(colon + 1));
  if (security == security::tls) context_ = SSL_CTX_new(TLS_client_method());
}

raw_player::~raw_player() {
  SSL_CTX_free(static_cast<SSL_CTX*>(context_));
}

void raw_player::start(slot& s, raw_exchange exchange, std::size_t index) const {
  s = slot{};
  s.exchange = std::move(exchange);
  s.index = index;
  s.fd = connect_socket(host_, port_);
  if (context_ != nullptr) {
    s.tls = SSL_new(static_cast<SSL_CTX*>(context_));
    SSL_set_mode(s.tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_set_fd(s.tls, s.fd);
  }
  s.started = s.sent = steady::now();
}

void raw_player::play(std::size_t count, make_exchange const& make, note_outcome const& note) {
  std::vector<slot> slots(std::min(at_once_, count));
  std::vector<pollfd> waiting(slots.size());
  std::size_t next = 0, running = 0;
  do {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      auto& s = slots[i];
      if (!s.busy() && next < count) {
        start(s, make(next), next);
        ++next;
        ++running;
      }
      waiting[i] = {.fd = s.fd, .events = s.wanted, .revents = 0};
    }
    ::poll(waiting.data(), waiting.size(), 100);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      auto& s = slots[i];
      if (!s.busy()) continue;
      bool const late = steady::now() - s.started > std::chrono::seconds(5);
      bool const over = waiting[i].revents != 0 && s.step();
      if (!over && !late) continue;
      s.out.took = std::chrono::duration_cast<std::chrono::milliseconds>(steady::now() - s.sent);
      s.end();
      --running;
      note(s.index, s.out);
    }
  } while (running > 0 || next < count);
}

}  // namespace svc::test
