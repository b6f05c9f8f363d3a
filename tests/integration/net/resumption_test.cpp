// Sessions that are resumed by tickets, on one instance; tests/integration/system/tls_tickets_test.cpp uses several.
#include "integration/net/server.hpp"
#include "support/tls_probe.hpp"

#include <openssl/ssl.h>

#include <doctest/doctest.h>

#include <string>

using svc::test::probe_tls;
using svc::test::server;
using svc::test::tls_version;

namespace {

std::string ticket_of(SSL_SESSION const* session) {
  unsigned char const* bytes = nullptr;
  std::size_t size = 0;
  SSL_SESSION_get0_ticket(session, &bytes, &size);
  return {reinterpret_cast<char const*>(bytes), size};
}

}  // namespace

TEST_CASE("each resumption of TLS 1.3 brings one new ticket, with which the next one resumes") {
  server running;
  auto met = probe_tls(running.address(), tls_version::v1_3);
  CHECK(met.answered);
  CHECK_FALSE(met.resumed);
  CHECK(met.tickets == 2);
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    auto const before = ticket_of(met.session.get());
    met = probe_tls(running.address(), tls_version::v1_3, met.session);
    CHECK(met.answered);
    CHECK(met.resumed);
    CHECK(met.tickets == 1);
    CHECK(ticket_of(met.session.get()) != before);
  }
}

TEST_CASE("a ticket of TLS 1.2 can be used again") {
  server running;
  auto const first = probe_tls(running.address(), tls_version::v1_2);
  CHECK_FALSE(first.resumed);
  CHECK(first.tickets == 1);
  for (int i = 0; i < 2; ++i) {
    CAPTURE(i);
    auto const again = probe_tls(running.address(), tls_version::v1_2, first.session);
    CHECK(again.answered);
    CHECK(again.resumed);
    CHECK(again.tickets == 0);
    CHECK(ticket_of(again.session.get()) == ticket_of(first.session.get()));
  }
}
