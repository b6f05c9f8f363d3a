#include "svc/net/tls_context.hpp"

#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <openssl/ssl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>

namespace svc::net {
namespace {

std::string line_of(char digit) {
  return std::string(160, digit);
}

TEST_CASE("a file of ticket keys: its valid and invalid contents") {
  std::string many;
  for (char const digit : std::string("0123456789abcdef")) many += line_of(digit) + "\n";
  auto const same_name = line_of('1').substr(0, 32) + line_of('2').substr(32);
  struct {
    std::string name, text;
    std::size_t keys;
  } const cases[] = {
      {"one", line_of('1'), 1},
      {"two", line_of('1') + "\n" + line_of('2') + "\n", 2},
      {"capitals, empty lines, carriage returns", "\n" + line_of('A') + " \r\n\n" + line_of('2') + "\n\n", 2},
      {"16", many, 16},
      {"17", many + line_of('1').substr(1) + "2", 0},
      {"short line", line_of('1') + "\n" + line_of('2').substr(1), 0},
      {"long line", line_of('1') + "1", 0},
      {"no hexadecimal", line_of('g'), 0},
      {"one name twice", line_of('1') + "\n" + same_name, 0},
      {"nothing", "", 0},
      {"empty lines", "\n\n", 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const keys = parse_ticket_keys(c.text);
    CHECK(keys.has_value() == (c.keys > 0));
    if (keys) CHECK(keys->size() == c.keys);
  }
  auto const parts = parse_ticket_keys(std::string(32, '1') + std::string(64, '2') + std::string(64, '3'));
  REQUIRE(parts);
  CHECK(parts->front().name.front() == 0x11);
  CHECK(parts->front().aes.front() == 0x22);
  CHECK(parts->front().hmac.back() == 0x33);
}

TEST_CASE("a file of ticket keys is read by its owner only, and is never quoted") {
  test::temporary_directory const where;
  auto const path = where.write("keys", line_of('7'));
  for (auto const mode : {0600U, 0400U, 0644U, 0604U, 0620U, 0660U}) {
    CAPTURE(mode);
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    if ((mode & 077U) == 0)
      CHECK(load_ticket_keys(path)->size() == 1);
    else
      CHECK_THROWS_WITH_AS(load_ticket_keys(path), doctest::Contains("owner"), std::runtime_error);
  }
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  struct stat made{};
  REQUIRE(::stat(path.c_str(), &made) == 0);
  // As systemd provides credentials: owned by root, readable for the service's group.
  if (made.st_uid == 0)
    CHECK(load_ticket_keys(path)->size() == 1);
  else
    CHECK_THROWS_AS(load_ticket_keys(path), std::runtime_error);

  auto const bad = where.write("bad", line_of('7') + "\n777");
  REQUIRE(::chmod(bad.c_str(), 0600) == 0);
  for (auto const& each : {bad, where.path() + "/none", where.path()}) {
    CAPTURE(each);
    try {
      static_cast<void>(load_ticket_keys(each));
      FAIL("loaded");
    } catch (std::runtime_error const& e) {
      CHECK(std::string(e.what()).find(each) != std::string::npos);
      CHECK(std::string(e.what()).find("777") == std::string::npos);
    }
  }
  CHECK(*random_ticket_keys() != *random_ticket_keys());
}

using context_ptr = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using connection_ptr = std::unique_ptr<SSL, decltype(&SSL_free)>;
using session_ptr = std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)>;

/// For TLS 1.2 without certificates, which sends its ticket within the handshake.
context_ptr anonymous_context(SSL_METHOD const* method) {
  context_ptr out(SSL_CTX_new(method), SSL_CTX_free);
  SSL_CTX_set_security_level(out.get(), 0);
  SSL_CTX_set_max_proto_version(out.get(), TLS1_2_VERSION);
  REQUIRE(SSL_CTX_set_cipher_list(out.get(), "aNULL:@SECLEVEL=0") == 1);
  SSL_CTX_set_dh_auto(out.get(), 1);
  return out;
}

struct handshake_end {
  session_ptr session;
  bool resumed;
};

/// One handshake in memory. `session`: what the client offers, or null.
handshake_end shake_hands(SSL_CTX* server_context, SSL_CTX* client_context, SSL_SESSION* session) {
  connection_ptr const server(SSL_new(server_context), SSL_free), client(SSL_new(client_context), SSL_free);
  BIO *server_end = nullptr, *client_end = nullptr;
  REQUIRE(BIO_new_bio_pair(&server_end, 0, &client_end, 0) == 1);
  SSL_set_bio(server.get(), server_end, server_end);
  SSL_set_bio(client.get(), client_end, client_end);
  SSL_set_accept_state(server.get());
  SSL_set_connect_state(client.get());
  if (session != nullptr) SSL_set_session(client.get(), session);
  for (int turn = 0; turn < 10 && !(SSL_is_init_finished(client.get()) && SSL_is_init_finished(server.get()));
       ++turn) {
    SSL_do_handshake(client.get());
    SSL_do_handshake(server.get());
  }
  REQUIRE(SSL_is_init_finished(client.get()) == 1);
  REQUIRE(SSL_is_init_finished(server.get()) == 1);
  // OpenSSL does not resume the session of a connection that ended without a shutdown.
  for (auto* const end : {client.get(), server.get()})
    SSL_set_shutdown(end, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  return {session_ptr(SSL_get1_session(client.get()), SSL_SESSION_free), SSL_session_reused(client.get()) == 1};
}

TEST_CASE("each session ticket has its own initialization vector, and the key whose name it has opens it") {
  auto const server = anonymous_context(TLS_server_method()), client = anonymous_context(TLS_client_method());
  use_ticket_keys(server.get(), std::make_shared<ticket_keys const>(*parse_ticket_keys(line_of('5'))));
  constexpr std::size_t name_bytes = 16, iv_bytes = 16;
  constexpr std::size_t handshakes = 8;
  std::set<std::string> vectors;
  for (std::size_t i = 0; i < handshakes; ++i) {
    auto const first = shake_hands(server.get(), client.get(), nullptr);
    CHECK_FALSE(first.resumed);
    unsigned char const* bytes = nullptr;
    std::size_t size = 0;
    SSL_SESSION_get0_ticket(first.session.get(), &bytes, &size);
    REQUIRE(size > name_bytes + iv_bytes);
    CHECK(std::all_of(bytes, bytes + name_bytes, [](unsigned char byte) { return byte == 0x55; }));
    vectors.emplace(bytes + name_bytes, bytes + name_bytes + iv_bytes);
    CHECK(shake_hands(server.get(), client.get(), first.session.get()).resumed);
  }
  CHECK(vectors.size() == handshakes);
}

}  // namespace
}  // namespace svc::net
