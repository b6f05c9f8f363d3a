#include "net/stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

namespace svc::net {
namespace {

stream::attempt classify_errno(ssize_t result, stream::state blocked) {
  if (result > 0) return {stream::state::done, static_cast<std::size_t>(result)};
  if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return {blocked};
  return {stream::state::gone};
}

}  // namespace

void stream::ssl_free::operator()(SSL* ssl) const {
  SSL_free(ssl);
}

stream::stream(asio::io_context& io, unique_fd descriptor, int family, tls_context const& tls)
    : socket_(io.get_executor()) {
  socket_.assign(asio::generic::stream_protocol(family, 0), descriptor.get());
  int const fd = descriptor.release();
  socket_.native_non_blocking(true);
  if (family != AF_UNIX) {
    // Nagle's algorithm and the client's delayed ACK together cost 44 ms instead of 1 on a fresh connection.
    int const flag = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &flag, sizeof flag);
    // Bytes in flight may be as many as the network takes, but the kernel need not queue megabytes of unsent bytes
    // for a client that does not read (tcp(7), tcp_notsent_lowat).
    int const unsent = 128 * 1024;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
  }
  if (tls) {
    ssl_.reset(SSL_new(tls.get()));
    if (!ssl_ || SSL_set_fd(ssl_.get(), fd) != 1) throw std::bad_alloc();
    SSL_set_accept_state(ssl_.get());
  }
}

bool stream::has_pending() const {
  // SSL_has_pending() alone is not enough: it also counts an incomplete record, the rest of which must come from the
  // socket.
  return read_wants_ == state::done && has_begun();
}

bool stream::has_begun() const {
  return ssl_ && SSL_has_pending(ssl_.get()) == 1;
}

bool stream::peer_closed() const {
  if (!socket_.is_open()) return true;
  pollfd look{const_cast<socket_type&>(socket_).native_handle(), POLLRDHUP, 0};
  return ::poll(&look, 1, 0) == 1;
}

stream::attempt stream::classify(int result) {
  if (result > 0) return {state::done, static_cast<std::size_t>(result)};
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {state::want_read};
    case SSL_ERROR_WANT_WRITE:
      return {state::want_write};
    case SSL_ERROR_ZERO_RETURN:
      return {state::gone};
    default:
      broken_ = true;
      return {state::gone};
  }
}

stream::attempt stream::try_handshake() {
  if (!ssl_) return {state::done};
  if (!socket_.is_open()) return {state::gone};
  ERR_clear_error();
  return classify(SSL_do_handshake(ssl_.get()));
}

stream::attempt stream::try_read(std::span<char> into) {
  if (!socket_.is_open()) return {state::gone};
  if (!ssl_) return classify_errno(::recv(socket_.native_handle(), into.data(), into.size(), 0), state::want_read);
  // SSL_get_error() looks at the thread's error queue, which another connection may have filled.
  ERR_clear_error();
  auto const attempt = classify(SSL_read(ssl_.get(), into.data(), static_cast<int>(into.size())));
  read_wants_ = attempt.state;
  return attempt;
}

stream::attempt stream::try_write(std::string_view bytes) {
  if (!socket_.is_open()) return {state::gone};
  if (!ssl_) {
    return classify_errno(::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                          state::want_write);
  }
  ERR_clear_error();
  // A write in the middle of a KeyUpdate reads the rest of it first, and perhaps what follows.
  read_wants_ = state::done;
  return classify(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())));
}

stream::attempt stream::try_discard(std::span<char> scratch) {
  if (!socket_.is_open()) return {state::gone};
  return classify_errno(::recv(socket_.native_handle(), scratch.data(), scratch.size(), 0), state::want_read);
}

stream::attempt stream::peek(std::span<char> into) {
  if (!socket_.is_open()) return {state::gone};
  return classify_errno(::recv(socket_.native_handle(), into.data(), into.size(), MSG_PEEK), state::want_read);
}

bool stream::take(std::size_t bytes) {
  std::array<char, 512> block;
  while (bytes > 0) {
    auto const n = ::recv(socket_.native_handle(), block.data(), std::min(bytes, block.size()), 0);
    if (n <= 0) return false;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

task<> stream::wait(state wanted) {
  auto const direction = wanted == state::want_write ? socket_type::wait_write : socket_type::wait_read;
  co_await socket_.async_wait(direction, awaiting);
}

void stream::cancel() {
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void stream::shutdown_send() {
  if (!socket_.is_open()) return;
  if (ssl_ && !broken_ && SSL_is_init_finished(ssl_.get()) == 1) {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
  }
  ::shutdown(socket_.native_handle(), SHUT_WR);
}

void stream::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace svc::net
