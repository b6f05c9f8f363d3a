#pragma once

#include "egress/http/handshake_limits.hpp"
#include "svc/domain/monitoring/checks/result.hpp"
#include "svc/egress/trust.hpp"

#include <memory>
#include <optional>
#include <string>

using X509_STORE_CTX = struct x509_store_ctx_st;
using X509 = struct x509_st;
using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace svc::egress {

/// Reads a certificate. Names follow RFC 2253 and have at most 512 bytes each.
checks::certificate facts_of(X509* certificate);

/// Verifies the chain of one connection instead of OpenSSL, so that the server's certificate is known even if
/// verification fails. Also reads the OCSP answer that the server stapled. libcurl checks the name afterwards.
/// Worker-local; outlives the connection.
class certificate_check {
 public:
  /// `more` is PEM, tried if `base` does not know the issuer; text that is not PEM makes `usable` false.
  certificate_check(std::shared_ptr<trust_store const> base, std::string const& more, bool verify);
  ~certificate_check();
  certificate_check(certificate_check const&) = delete;
  certificate_check& operator=(certificate_check const&) = delete;

  bool usable() const { return usable_; }
  /// Returns false if the connection must not be made; `fault` gives the reason.
  bool attach(SSL_CTX* context);

  std::optional<checks::certificate> const& facts() const { return facts_; }
  /// Returns X509_V_OK also if nothing has been verified, and X509_V_ERR_CERT_REVOKED if the staple reports a
  /// revocation.
  int error() const { return error_; }
  /// Returns the cost limit that the handshake exceeded; empty if it exceeded none.
  std::string_view fault() const { return limits_.fault(); }

 private:
  static int verify(X509_STORE_CTX* context, void* check);
  static int take_staple(SSL* connection, void* check);
  int run(X509_STORE_CTX* context);

  std::shared_ptr<trust_store const> base_;
  X509_STORE* more_ = nullptr;
  bool verify_;
  bool usable_ = true;
  std::optional<checks::certificate> facts_;
  int error_ = 0;
  handshake_limits limits_;
};

}  // namespace svc::egress
