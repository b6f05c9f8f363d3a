#include "integration/net/client.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace svc::test {
namespace {

int connect_to(std::string const& address) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  if (address.starts_with("unix:")) {
    auto& un = reinterpret_cast<sockaddr_un&>(storage);
    un.sun_family = AF_UNIX;
    std::strncpy(un.sun_path, address.c_str() + 5, sizeof un.sun_path - 1);
    size = sizeof un;
  } else {
    auto const colon = address.rfind(':');
    auto& input = reinterpret_cast<sockaddr_in&>(storage);
    input.sin_family = AF_INET;
    input.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &input.sin_addr);
    size = sizeof input;
  }
  int const fd = ::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  timeval const patience{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  int const context = 1;
  if (storage.ss_family == AF_INET) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &context, sizeof context);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&storage), size) != 0) {
    ::close(fd);
    throw std::runtime_error("connect: " + address);
  }
  return fd;
}

SSL_CTX* shared_context() {
  static std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> const context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  return context.get();
}

}  // namespace

client::client(std::string const& address, security security, std::string_view preamble)
    : fd_(connect_to(address)), ssl_(nullptr, SSL_free) {
  send(preamble);
  if (security == security::plain || security == security::tls_unstarted) return;
  ssl_.reset(SSL_new(shared_context()));
  auto const version = security == security::tls12 ? TLS1_2_VERSION : TLS1_3_VERSION;
  SSL_set_min_proto_version(ssl_.get(), version);
  SSL_set_max_proto_version(ssl_.get(), version);
  static constexpr std::string_view protocols = "\x02h2\x08http/1.1";
  SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<unsigned char const*>(protocols.data()), protocols.size());
  SSL_set_fd(ssl_.get(), fd_);
  if (SSL_connect(ssl_.get()) != 1) {
    ERR_clear_error();
    ::close(fd_);
    throw std::runtime_error("TLS handshake");
  }
}

client::client(client&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      ssl_(std::move(other.ssl_)),
      received_(std::move(other.received_)),
      abrupt_(other.abrupt_) {}

client::~client() {
  if (fd_ >= 0) ::close(fd_);
}

bool client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const n = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                        : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) {
      ERR_clear_error();
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string client::sealed(std::string_view bytes) {
  SSL_set0_wbio(ssl_.get(), BIO_new(BIO_s_mem()));
  SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
  char* data = nullptr;
  auto const size = BIO_get_mem_data(SSL_get_wbio(ssl_.get()), &data);
  std::string const made(data, static_cast<std::size_t>(size));
  SSL_set0_wbio(ssl_.get(), BIO_new_socket(fd_, BIO_NOCLOSE));
  return made;
}

bool client::send_raw(std::string_view bytes) {
  return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

bool client::fill() {
  std::array<char, 16384> buffer;
  auto const n = ssl_ ? SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()))
                      : ::recv(fd_, buffer.data(), buffer.size(), 0);
  if (n <= 0) {
    abrupt_ = ssl_ ? SSL_get_error(ssl_.get(), static_cast<int>(n)) != SSL_ERROR_ZERO_RETURN : n < 0;
    ERR_clear_error();
    return false;
  }
  received_.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

std::optional<answer> client::receive(bool to_head) {
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return std::nullopt;
  }
  answer got;
  got.head = received_.substr(0, end + 4);
  received_.erase(0, end + 4);
  got.status = std::stoi(got.head.substr(9, 3));
  auto const length = got.head.find("\r\nContent-Length: ");
  if (to_head || length == std::string::npos) return got;
  auto const size = std::stoul(got.head.substr(length + 18));
  while (received_.size() < size) {
    if (!fill()) return std::nullopt;
  }
  got.body = received_.substr(0, size);
  received_.erase(0, size);
  return got;
}

std::optional<std::string> client::some() {
  if (received_.empty() && !fill()) return std::nullopt;
  return std::exchange(received_, {});
}

answer client::ask(std::string_view request) {
  if (!send(request)) throw std::runtime_error("the server has gone");
  auto got = receive(request.starts_with("HEAD "));
  if (!got) throw std::runtime_error("no answer");
  return *std::move(got);
}

bool client::ended() {
  return received_.empty() && !fill();
}

bool client::readable_within(milliseconds time) {
  auto const until = deadline::after(time);
  for (;;) {
    auto const left = std::chrono::ceil<milliseconds>(until.at() - steady::now());
    pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, std::max(0, static_cast<int>(left.count()))) <= 0) return false;
    if (!ssl_) return true;
    // A session ticket, which OpenSSL consumes silently, may have woken us.
    auto const flags = ::fcntl(fd_, F_GETFL);
    ::fcntl(fd_, F_SETFL, flags | O_NONBLOCK);
    char byte = 0;
    auto const n = SSL_peek(ssl_.get(), &byte, 1);
    auto const nothing = n <= 0 && SSL_get_error(ssl_.get(), n) == SSL_ERROR_WANT_READ;
    ERR_clear_error();
    ::fcntl(fd_, F_SETFL, flags);
    if (!nothing) return true;
  }
}

void client::reset_on_close() {
  linger const at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void client::finish_sending() {
  if (ssl_) SSL_shutdown(ssl_.get());
  ::shutdown(fd_, SHUT_WR);
}

std::string client::tls_version() const {
  return SSL_get_version(ssl_.get());
}

std::string client::alpn() const {
  unsigned char const* protocol = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
  return {reinterpret_cast<char const*>(protocol), size};
}

}  // namespace svc::test
