#pragma once

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <string_view>

namespace svc::egress {

// These limits bound the computation that a peer can cause on this side in one TLS handshake. All connections of a
// thread wait during it, so each limit keeps it under 50 ms. The comments give the time measured without the limit.

/// Bits of a Diffie-Hellman group. The 10 000 bits that OpenSSL accepts take 640 ms; 4096 bits take 27 ms.
inline constexpr int most_group_bits = 4096;
/// Bits of an RSA key in the server's chain. A signature by the largest key that OpenSSL accepts costs 3 ms.
inline constexpr int most_rsa_bits = 8192;
/// Bits of a DSA key in the server's chain. A signature by the largest key costs 10 ms.
inline constexpr int most_dsa_bits = 4096;
/// Number of certificates between the server's and its authority. OpenSSL's own limit allows 100 signatures of 3 ms.
inline constexpr int most_intermediates = 6;
/// Bits of this side's own signing key. The 16 384 bits that OpenSSL accepts take 930 ms; 4096 bits take 18 ms.
inline constexpr int most_own_key_bits = 4096;

/// The limits of one connection. Worker-local; outlives the connection.
class handshake_limits {
 public:
  /// Sets the groups that are offered and those that are accepted. Returns false if the connection's own key is too
  /// large. The key must be set before.
  bool attach(SSL_CTX* context);

  /// Returns the reason why the handshake was ended; empty if it was not. Static text.
  std::string_view fault() const { return fault_; }

 private:
  using security_callback = int (*)(SSL const*, SSL_CTX const*, int, int, int, void*, void*);
  static int check(SSL const* connection, SSL_CTX const* context, int operation, int bits, int id, void* subject,
                   void* self) noexcept;

  security_callback usual_ = nullptr;
  std::string_view fault_{};
};

/// True if a certificate in the server's chain has a larger key than allowed. `context` is the chain to verify.
bool has_large_key(X509_STORE_CTX* context);

}  // namespace svc::egress
