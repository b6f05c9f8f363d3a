#pragma once

#include "svc/core/deadline.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace svc::test {

/// Returns the CPU time that this process has used.
inline microseconds cpu_used() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto const projection = [](timeval const& t) { return std::chrono::seconds(t.tv_sec) + microseconds(t.tv_usec); };
  return projection(used.ru_utime) + projection(used.ru_stime);
}

/// Returns the cost of one of `count` repetitions, in µs.
template <class Work>
long cost_of(int count, Work work) {
  auto const begin = cpu_used();
  for (int i = 0; i < count; ++i) work();
  return static_cast<long>((cpu_used() - begin).count() / count);
}

/// Number of repetitions of a measurement: `TEST_CHECK_COST`, otherwise few.
inline int cost_count() {
  auto const* const text = std::getenv("TEST_CHECK_COST");
  return text == nullptr ? 3 : std::atoi(text);
}

/// The least possible cost of a verified handshake: OpenSSL on a blocking socket.
class bare_handshakes {
 public:
  /// `authority` is a file.
  explicit bare_handshakes(std::string const& authority) : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    REQUIRE(SSL_CTX_load_verify_file(context_, authority.c_str()) == 1);
  }
  ~bare_handshakes() { SSL_CTX_free(context_); }
  bare_handshakes(bare_handshakes const&) = delete;
  bare_handshakes& operator=(bare_handshakes const&) = delete;

  void shake_hands(int port) {
    int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    REQUIRE(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    SSL* const tls = SSL_new(context_);
    SSL_set_fd(tls, fd);
    SSL_set_tlsext_host_name(tls, "a.test");
    REQUIRE(SSL_connect(tls) == 1);
    SSL_free(tls);
    close(fd);
  }

 private:
  SSL_CTX* context_;
};

}  // namespace svc::test
