#include "redis/tls.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <climits>
#include <new>
#include <stdexcept>

namespace svc::redis {
namespace {

std::string reason(unsigned long code) {
  char const* const text = ERR_reason_error_string(code);
  return text != nullptr ? text : "unknown error";
}

int clamped(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

bool is_address(std::string const& host) {
  boost::system::error_code bad;
  asio::ip::make_address(host, bad);
  return !bad;
}

}  // namespace

tls_context::tls_context(std::string const& ca_file) : context_(SSL_CTX_new(TLS_client_method())) {
  if (!context_) throw std::bad_alloc();
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  ERR_clear_error();
  int const loaded = ca_file.empty() ? SSL_CTX_set_default_verify_paths(context_.get())
                                     : SSL_CTX_load_verify_file(context_.get(), ca_file.c_str());
  if (loaded != 1) {
    throw std::runtime_error("redis tls_ca_file '" + ca_file + "': " + reason(ERR_get_error()));
  }
}

tls_engine::tls_engine(tls_context const& context, std::string const& host)
    : ssl_(SSL_new(context.get())), incoming_(BIO_new(BIO_s_mem())), outgoing_(BIO_new(BIO_s_mem())) {
  if (!ssl_ || incoming_ == nullptr || outgoing_ == nullptr) throw std::bad_alloc();
  // An empty BIO means "later", not "end of stream".
  BIO_set_mem_eof_return(incoming_, -1);
  SSL_set_bio(ssl_.get(), incoming_, outgoing_);
  SSL_set_connect_state(ssl_.get());
  bool named = false;
  if (is_address(host)) {
    named = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str()) == 1;
  } else {
    named = SSL_set1_host(ssl_.get(), host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl_.get(), host.c_str()) == 1;
  }
  if (!named) throw std::runtime_error("redis host cannot be verified over TLS: " + host);
}

void tls_engine::feed(std::string_view cipher) {
  BIO_write(incoming_, cipher.data(), clamped(cipher.size()));
}

void tls_engine::drain(std::string& cipher) {
  char* bytes = nullptr;
  auto const size = BIO_get_mem_data(outgoing_, &bytes);
  if (size <= 0) return;
  cipher.append(bytes, static_cast<std::size_t>(size));
  BIO_reset(outgoing_);
}

tls_engine::step tls_engine::handshake() {
  ERR_clear_error();
  int const done = SSL_do_handshake(ssl_.get());
  if (done == 1) return step::done;
  if (SSL_get_error(ssl_.get(), done) == SSL_ERROR_WANT_READ) return step::wants_bytes;
  error_ = ERR_get_error();
  return step::failed;
}

bool tls_engine::encrypt(std::string_view plain) {
  ERR_clear_error();
  std::size_t taken = 0;
  // A memory BIO takes all, so a write is never partial.
  if (plain.empty() || SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &taken) == 1) return true;
  error_ = ERR_get_error();
  return false;
}

tls_engine::step tls_engine::decrypt(std::string& plain) {
  std::array<char, 4096> piece;
  for (;;) {
    ERR_clear_error();
    std::size_t size = 0;
    if (SSL_read_ex(ssl_.get(), piece.data(), piece.size(), &size) == 1) {
      plain.append(piece.data(), size);
      continue;
    }
    if (SSL_get_error(ssl_.get(), 0) == SSL_ERROR_WANT_READ) return step::wants_bytes;
    error_ = ERR_get_error();
    return step::failed;
  }
}

std::string tls_engine::fault() const {
  auto const verdict = SSL_get_verify_result(ssl_.get());
  if (verdict != X509_V_OK) return X509_verify_cert_error_string(verdict);
  return error_ == 0 ? "end of stream" : reason(error_);
}

}  // namespace svc::redis
