#include "attacker.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace svc::test {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds patience{3000};
/// Real attackers run elsewhere: they must not take the processor from those whom they attack.
constexpr int niceness = 5;

int connect_to(std::string const& address, std::string const& source) {
  auto const colon = address.rfind(':');
  sockaddr_in own{}, where{};
  own.sin_family = where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &where.sin_addr);
  ::inet_pton(AF_INET, source.c_str(), &own.sin_addr);
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int const context = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &context, sizeof context);
  ::bind(fd, reinterpret_cast<sockaddr const*>(&own), sizeof own);
  if (::connect(fd, reinterpret_cast<sockaddr const*>(&where), sizeof where) != 0) {
    ::close(fd);
    throw std::runtime_error("cannot connect to " + address);
  }
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

SSL* tls(void* value) {
  return static_cast<SSL*>(value);
}

}  // namespace

void attacker::begin() {
  thread_ = std::thread(&attacker::run, this);
}

void attacker::end() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
}

void attacker::run() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
  while (!over_) {
    ++acts_;
    try {
      act();
    } catch (std::exception const& failed) {
      note_refused(failed.what());
      pause(milliseconds(50));
    }
  }
  leave();
}

void attacker::pause(milliseconds how_long) const {
  auto const until = clock::now() + how_long;
  while (!over_ && clock::now() < until) std::this_thread::sleep_for(milliseconds(5));
}

attack_connection::attack_connection(std::string const& address, std::string const& source)
    : fd_(connect_to(address, source)) {
  auto* const context = SSL_CTX_new(TLS_client_method());
  context_ = context;
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  auto* const ssl = SSL_new(context);
  ssl_ = ssl;
  SSL_set_fd(ssl, fd_);
  auto const until = clock::now() + patience;
  for (int done = SSL_connect(ssl); done != 1; done = SSL_connect(ssl)) {
    auto const reason = SSL_get_error(ssl, done);
    ERR_clear_error();
    bool const waits = reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE;
    if (waits && clock::now() < until) {
      wait(reason == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, milliseconds(100));
      continue;
    }
    SSL_free(ssl);
    SSL_CTX_free(context);
    ::close(fd_);
    throw std::runtime_error("the TLS handshake failed");
  }
}

attack_connection::~attack_connection() {
  SSL_free(tls(ssl_));
  SSL_CTX_free(static_cast<SSL_CTX*>(context_));
  ::close(fd_);
}

void attack_connection::wait(short events, milliseconds within) const {
  pollfd look{fd_, events, 0};
  ::poll(&look, 1, static_cast<int>(within.count()));
}

std::size_t attack_connection::send_some(std::string_view text) {
  auto const got = SSL_write(tls(ssl_), text.data(), static_cast<int>(text.size()));
  auto const reason = SSL_get_error(tls(ssl_), got);
  ERR_clear_error();
  if (got > 0) return static_cast<std::size_t>(got);
  if (reason != SSL_ERROR_WANT_WRITE && reason != SSL_ERROR_WANT_READ) throw std::runtime_error("closed");
  return 0;
}

bool attack_connection::send(std::string_view text) {
  auto const until = clock::now() + patience;
  while (!text.empty() && clock::now() < until) {
    auto const sent = send_some(text);
    text.remove_prefix(sent);
    if (sent == 0) wait(POLLOUT, milliseconds(100));
  }
  return text.empty();
}

void attack_connection::send_raw(std::string_view bytes) const {
  if (::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error("closed");
}

std::string attack_connection::record_of(std::string_view text) {
  auto* const usual = SSL_get_wbio(tls(ssl_));
  BIO_up_ref(usual);
  auto* const memory = BIO_new(BIO_s_mem());
  SSL_set0_wbio(tls(ssl_), memory);
  SSL_write(tls(ssl_), text.data(), static_cast<int>(text.size()));
  char* data = nullptr;
  auto const size = BIO_get_mem_data(memory, &data);
  std::string out(data, static_cast<std::size_t>(size));
  SSL_set0_wbio(tls(ssl_), usual);
  return out;
}

std::string attack_connection::receive(milliseconds within) {
  char buffer[16 * 1024];
  auto const until = clock::now() + within;
  for (;;) {
    auto const got = SSL_read(tls(ssl_), buffer, sizeof buffer);
    if (got > 0) return {buffer, static_cast<std::size_t>(got)};
    auto const reason = SSL_get_error(tls(ssl_), got);
    ERR_clear_error();
    if (reason != SSL_ERROR_WANT_READ || clock::now() >= until) return {};
    wait(POLLIN, milliseconds(50));
  }
}

bool attack_connection::ended() const {
  // Data before the end is skipped: nobody reads it.
  char buffer[16 * 1024];
  for (;;) {
    auto const got = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got <= 0) return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  }
}

std::string attack_head(std::string const& line, std::string const& token, std::string const& more) {
  return line + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n" + more + "\r\n";
}

}  // namespace svc::test
