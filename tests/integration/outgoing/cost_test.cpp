#include "integration/outgoing/fixture.hpp"
#include "integration/outgoing/nginx.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <sys/socket.h>

using namespace svc;
using namespace svc::outgoing;

namespace {

/// CPU that this process has used.
microseconds cpu() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto const of = [](timeval const& t) { return std::chrono::seconds(t.tv_sec) + microseconds(t.tv_usec); };
  return of(used.ru_utime) + of(used.ru_stime);
}

/// What one of `count` costs.
template <class Work>
long cost(int count, Work work) {
  auto const begin = cpu();
  for (int i = 0; i < count; ++i) work();
  return static_cast<long>((cpu() - begin).count() / count);
}

/// The least that a verified handshake can cost: OpenSSL on a blocking socket.
void shake_hands(SSL_CTX* context, int port) {
  int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  REQUIRE(connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
  SSL* const tls = SSL_new(context);
  SSL_set_fd(tls, fd);
  SSL_set_tlsext_host_name(tls, "a.test");
  REQUIRE(SSL_connect(tls) == 1);
  SSL_free(tls);
  close(fd);
}

}  // namespace

TEST_CASE("what a check costs (TEST_CHECK_COST=1000: of so many)") {
  auto const* const count_text = std::getenv("TEST_CHECK_COST");
  int const count = count_text == nullptr ? 3 : std::atoi(count_text);
  auto const ca = make_throwaway_ca("DNS:a.test");
  temporary_directory files;
  auto const authority = files.write("ca.pem", ca.authority);
  nginx plain(ca, "", "TLSv1.3"), secure(ca, "ssl", "TLSv1.3");
  place in(knowing({{"a.test", {"127.0.0.1"}}}), authority);
  auto const check = [&](nginx const& which) {
    auto what = to(which.url("a.test"));
    what.address_age = 60s;
    auto const got = in.fetch(what);
    CHECK(got.status == 200);
  };
  for (auto const* which : {&plain, &secure}) {
    auto const until = deadline::after(10s);
    while (in.code_of_get(which->url("a.test")) == "connect_refused" && !until.passed()) usleep(10'000);
  }
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  REQUIRE(SSL_CTX_load_verify_file(context, authority.c_str()) == 1);
  auto const http = cost(count, [&] { check(plain); });
  auto const https = cost(count, [&] { check(secure); });
  auto const handshake = cost(count, [&] { shake_hands(context, secure.port()); });
  SSL_CTX_free(context);
  MESSAGE("CPU of one of ", count, " in µs: http ", http, ", https ", https, ", TLS handshake alone ", handshake);
}
