#include "svc/net/tls_context.hpp"

#include "svc/core/file_problem.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509err.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace svc::net {
namespace {

[[noreturn]] void fail(std::string const& subject) {
  auto const code = ERR_peek_last_error();
  char const* reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
  ERR_clear_error();
  throw std::runtime_error(subject + ": " + (reason != nullptr ? reason : "cannot be used"));
}

/// Returns what is wrong with a PEM file that OpenSSL cannot use. OpenSSL's own reasons ("PEM lib", "system lib",
/// "unsupported") name no cause that a reader could remove. `kind` is the label's end: CERTIFICATE or PRIVATE KEY.
std::string pem_problem(std::string const& path, std::string const& kind) {
  std::ifstream file(path, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.find(kind + "-----") == std::string::npos)
    return "must be a PEM file with the line \"-----BEGIN " + kind + "-----\"";
  if (text.find("ENCRYPTED") != std::string::npos)
    return "is encrypted; store the key without a passphrase: openssl pkey -in FILE -out NEW_FILE";
  return "is damaged between \"-----BEGIN " + kind + "-----\" and its end";
}

[[noreturn]] void fail_file(std::string const& path, std::string const& reason, bool key) {
  ERR_clear_error();
  throw tls_file_error(path + " " + reason, key);
}

void require_file(std::string const& path, bool key) {
  if (auto const problem = file_problem(path)) fail_file(path, *problem, key);
}

/// Selects the best version that both sides speak; a client that offers none of ours gets the alert that RFC 7301
/// requires.
int select_alpn(SSL*, unsigned char const** out, unsigned char* out_length, unsigned char const* offered,
                unsigned int offered_length, void*) {
  static constexpr std::string_view ours = "\x08http/1.1\x08http/1.0";
  unsigned char* selected = nullptr;
  auto const verdict =
      SSL_select_next_proto(&selected, out_length, reinterpret_cast<unsigned char const*>(ours.data()),
                            static_cast<unsigned int>(ours.size()), offered, offered_length);
  if (verdict != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = selected;
  return SSL_TLSEXT_ERR_OK;
}

void restrict_protocol(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  if (SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1 ||
      SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") != 1) {
    fail("TLS ciphers");
  }
  SSL_CTX_set_alpn_select_cb(context, select_alpn, nullptr);
}

void tune(SSL_CTX* context) {
  // Idle connections release their record buffers; a write may end after a record and its buffer may move.
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // One read() takes header and record together; without it each record costs two.
  SSL_CTX_set_read_ahead(context, 1);
  // Sessions are resumed by tickets: nothing is stored here, so any instance with the same ticket keys can resume
  // them.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  static constexpr unsigned char id[] = "svc";
  SSL_CTX_set_session_id_context(context, id, sizeof id - 1);
}

/// Everything but the certificate.
tls_context bare_context(shared_ticket_keys tickets) {
  ERR_clear_error();
  tls_context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) fail("TLS context");
  restrict_protocol(context.get());
  tune(context.get());
  use_ticket_keys(context.get(), std::move(tickets));
  return context;
}

}  // namespace

tls_context load_tls_context(std::string const& certificate_file, std::string const& key_file,
                             shared_ticket_keys tickets) {
  auto context = bare_context(std::move(tickets));
  // Never ask for a passphrase on the terminal of a service.
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return 0; });
  require_file(certificate_file, false);
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1)
    fail_file(certificate_file, pem_problem(certificate_file, "CERTIFICATE"), false);
  require_file(key_file, true);
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    bool const foreign = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
    fail_file(key_file,
              foreign ? "does not hold the key of the certificate in " + certificate_file
                      : pem_problem(key_file, "PRIVATE KEY"),
              true);
  }
  if (SSL_CTX_check_private_key(context.get()) != 1)
    fail_file(key_file, "does not hold the key of the certificate in " + certificate_file, true);
  return context;
}

tls_context with_ticket_keys(tls_context const& tls_context, shared_ticket_keys tickets) {
  auto context = bare_context(std::move(tickets));
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(tls_context.get(), &chain);
  if (SSL_CTX_use_cert_and_key(context.get(), SSL_CTX_get0_certificate(tls_context.get()),
                               SSL_CTX_get0_privatekey(tls_context.get()), chain, 1) != 1) {
    fail("TLS certificate");
  }
  return context;
}

timestamp certificate_expiry(tls_context const& context) {
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(SSL_CTX_get0_certificate(context.get())), &end) != 1)
    fail("the certificate's notAfter");
  return {timegm(&end) * std::int64_t{1'000'000}};
}

}  // namespace svc::net
