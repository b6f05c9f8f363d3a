#include "support/tls_probe.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <sys/socket.h>
#include <sys/time.h>
#include <stdexcept>

namespace svc::test {
namespace {

constexpr std::string_view request = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Reads to the end: a TLS 1.3 ticket comes after the handshake.
std::string all_of_answer(SSL* tls) {
  std::string answer;
  char block[4096];
  for (int n = 0; (n = SSL_read(tls, block, sizeof block)) > 0;) answer.append(block, static_cast<std::size_t>(n));
  return answer;
}

/// OpenSSL's callback for each message. Its callback for new sessions would make it forget sessions once they are
/// used.
void count_tickets(int sending, int, int type, void const* message, std::size_t size, SSL*, void* count) {
  bool const ticket = sending == 0 && type == SSL3_RT_HANDSHAKE && size > 0 &&
                      *static_cast<unsigned char const*>(message) == SSL3_MT_NEWSESSION_TICKET;
  if (ticket) ++*static_cast<int*>(count);
}

std::string chosen(SSL* tls) {
  unsigned char const* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls, &name, &size);
  return {reinterpret_cast<char const*>(name), size};
}

BIO* connected(std::string_view address) {
  if (address.starts_with("https://")) address.remove_prefix(8);
  BIO* const bio = BIO_new_connect(std::string(address).c_str());
  if (bio == nullptr || BIO_do_connect(bio) != 1) {
    BIO_free(bio);
    throw std::runtime_error("cannot connect to " + std::string(address));
  }
  int descriptor = -1;
  BIO_get_fd(bio, &descriptor);
  timeval const patience{10, 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return bio;
}

}  // namespace

tls_probe probe_tls(std::string_view address, tls_version version, std::shared_ptr<SSL_SESSION> const& session,
                    std::string_view alpn) {
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> const context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  std::unique_ptr<SSL, void (*)(SSL*)> const tls(SSL_new(context.get()), SSL_free);
  int const wanted = version == tls_version::v1_2 ? TLS1_2_VERSION : TLS1_3_VERSION;
  SSL_set_min_proto_version(tls.get(), wanted);
  SSL_set_max_proto_version(tls.get(), wanted);
  if (session) SSL_set_session(tls.get(), session.get());
  if (!alpn.empty())
    SSL_set_alpn_protos(tls.get(), reinterpret_cast<unsigned char const*>(alpn.data()),
                        static_cast<unsigned>(alpn.size()));
  auto* const bio = connected(address);
  SSL_set_bio(tls.get(), bio, bio);
  tls_probe met;
  SSL_set_msg_callback(tls.get(), count_tickets);
  SSL_set_msg_callback_arg(tls.get(), &met.tickets);
  ERR_clear_error();
  if (SSL_connect(tls.get()) != 1) {
    met.reason = ERR_GET_REASON(ERR_peek_last_error());
    ERR_clear_error();
    return met;
  }
  met.alpn = chosen(tls.get());
  met.resumed = SSL_session_reused(tls.get()) == 1;
  SSL_write(tls.get(), request.data(), static_cast<int>(request.size()));
  met.answered = all_of_answer(tls.get()).starts_with("HTTP/1.1 200 ");
  // OpenSSL does not resume the session of a connection that was not shut down.
  SSL_shutdown(tls.get());
  met.session.reset(SSL_get1_session(tls.get()), SSL_SESSION_free);
  ERR_clear_error();
  return met;
}

}  // namespace svc::test
