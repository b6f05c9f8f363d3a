// Tests a connection whose end arrives together with the end of its handshake. OpenSSL has read the end with the
// client's Finished, so the socket no longer shows it.
#include "integration/net/client.hpp"
#include "integration/net/server.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using svc::test::client;
using svc::test::server;

namespace {

/// The remaining content of the client's last write of its handshake.
struct ending {
  char const* name;
  int version;
  std::string_view record;  ///< as on the wire; empty: a close_notify
};

constexpr auto fatal_alert = "\x15\x03\x03\x00\x02\x02\x50"sv;  // internal_error, in plain text
constexpr auto garbage = "\x17\x03\x03\x00\x20nobody has sealed this, nor that"sv;

ending const endings[] = {
    {"close_notify", TLS1_3_VERSION, {}},
    {"fatal alert", TLS1_3_VERSION, fatal_alert},
    {"record that is none of ours", TLS1_3_VERSION, garbage},
    {"fatal alert", TLS1_2_VERSION, fatal_alert},
    {"record that is none of ours", TLS1_2_VERSION, garbage},
};

/// A client whose handshake goes through memory, so that it decides the content of each write.
class patient_handshake {
 public:
  patient_handshake(std::string const& address, int version)
      : version_(version), plain_(address, client::security::plain) {
    SSL_set_min_proto_version(tls_.get(), version);
    SSL_set_max_proto_version(tls_.get(), version);
    SSL_set_bio(tls_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(tls_.get());
  }

  /// Performs the handshake except for the last write, which it returns.
  std::string last_write(bool close_notify) {
    SSL_do_handshake(tls_.get());
    REQUIRE(plain_.send(written()));
    std::string last;
    while (last.empty()) {
      auto const got = plain_.some();
      REQUIRE(got);
      BIO_write(SSL_get_rbio(tls_.get()), got->data(), static_cast<int>(got->size()));
      bool const finished = SSL_do_handshake(tls_.get()) == 1;
      if (finished && close_notify) SSL_shutdown(tls_.get());
      // In TLS 1.2 the server writes last.
      if (finished || version_ == TLS1_2_VERSION) last = written();
    }
    ERR_clear_error();
    return last;
  }

  client& plain() { return plain_; }

 private:
  std::string written() {
    std::string out(static_cast<std::size_t>(BIO_pending(SSL_get_wbio(tls_.get()))), '\0');
    BIO_read(SSL_get_wbio(tls_.get()), out.data(), static_cast<int>(out.size()));
    return out;
  }

  int version_;
  client plain_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  std::unique_ptr<SSL, void (*)(SSL*)> tls_{SSL_new(context_.get()), SSL_free};
};

}  // namespace

TEST_CASE("a client whose last write of the handshake also ends the connection is closed at once") {
  for (auto const& each : endings) {
    CAPTURE(each.name);
    CAPTURE(each.version);
    server running;
    std::vector<std::unique_ptr<patient_handshake>> all;
    for (int i = 0; i < 20; ++i) {
      all.push_back(std::make_unique<patient_handshake>(running.address(), each.version));
      REQUIRE(all.back()->plain().send_raw(all.back()->last_write(each.record.empty()) + std::string(each.record)));
    }
    CHECK(running.emptied(2s));
    CHECK(client(running.address()).ask("GET /next HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
  }
}
