#pragma once

#include "svc/redis/client.hpp"

#include <openssl/ssl.h>

namespace svc::redis {

/// The settings that all TLS connections of a client share: TLS 1.2 or newer, and a peer certificate that the CA
/// signed. Immutable after construction, which throws `std::runtime_error` if the CA file cannot be used.
class tls_context {
 public:
  explicit tls_context(std::string const& ca_file);
  SSL_CTX* get() const { return context_.get(); }

 private:
  struct closer {
    void operator()(SSL_CTX* c) const { SSL_CTX_free(c); }
  };
  std::unique_ptr<SSL_CTX, closer> context_;
};

/// Runs TLS without a socket: bytes in, bytes out. The certificate must name `host` (a DNS name or an IP address).
/// One per connection, worker-local.
class tls_engine {
 public:
  enum class step { done, wants_bytes, failed };

  tls_engine(tls_context const& context, std::string const& host);

  /// Takes bytes received from the network.
  void feed(std::string_view cipher);
  /// Appends to `cipher` the bytes to send to the network.
  void drain(std::string& cipher);
  step handshake();
  /// Returns false if the session is broken.
  bool encrypt(std::string_view plain);
  /// Appends the bytes that can be read now; returns `failed` also at the peer's end of stream.
  step decrypt(std::string& plain);
  /// Returns the reason of a failure: OpenSSL's reason, or the certificate's fault.
  std::string fault() const;

 private:
  struct closer {
    void operator()(SSL* s) const { SSL_free(s); }
  };
  std::unique_ptr<SSL, closer> ssl_;
  BIO* incoming_;  // owned by ssl_
  BIO* outgoing_;  // owned by ssl_
  unsigned long error_ = 0;
};

}  // namespace svc::redis
