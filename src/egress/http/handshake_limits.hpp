#pragma once

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <string_view>

namespace svc::egress {

// Limits of what a peer may make this side compute in one TLS handshake. All connections of a thread wait for that,
// so each limit keeps the computation under 50 ms. The comments say what was measured without the limit.

/// Bits of a Diffie-Hellman group: 640 ms for the 10 000 that OpenSSL takes, 27 ms for so many.
inline constexpr int most_group_bits = 4096;
/// Bits of an RSA key in the server's chain. A signature by the largest key that OpenSSL takes costs 3 ms.
inline constexpr int most_rsa_bits = 8192;
/// Bits of a key of DSA in the server's chain: 10 ms for each signature by the largest.
inline constexpr int most_dsa_bits = 4096;
/// Certificates between the server's and its authority: 100 signatures of 3 ms by OpenSSL's own limit.
inline constexpr int most_intermediates = 6;
/// Bits of this side's own key, which signs: 930 ms for the 16 384 that OpenSSL takes, 18 ms for so many.
inline constexpr int most_own_key_bits = 4096;

/// The limits of one connection. Worker-local; outlives the connection.
class handshake_limits {
 public:
  /// Sets the groups that are offered and those that are accepted. False if the connection's own key, which is set
  /// before, is too large.
  bool attach(SSL_CTX* context);

  /// Why the handshake was ended; empty if it was not. Of static storage.
  std::string_view fault() const { return fault_; }

 private:
  using security_callback = int (*)(SSL const*, SSL_CTX const*, int, int, int, void*, void*);
  static int judge(SSL const* connection, SSL_CTX const* context, int operation, int bits, int id, void* subject,
                   void* self) noexcept;

  security_callback usual_ = nullptr;
  std::string_view fault_{};
};

/// True if a certificate that the server showed has a larger key than allowed. `context` is the chain to verify.
bool has_large_key(X509_STORE_CTX* context);

}  // namespace svc::egress
