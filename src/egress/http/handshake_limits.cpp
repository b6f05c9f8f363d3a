#include "egress/http/handshake_limits.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

namespace svc::egress {

namespace {

/// OpenSSL's own groups without the two of 6144 and 8192 bits.
constexpr char const* offered_groups = "X25519:P-256:X448:P-521:P-384:ffdhe2048:ffdhe3072:ffdhe4096";

/// Curves have at most 661 bits.
bool is_large(X509* certificate) {
  auto* const key = certificate == nullptr ? nullptr : X509_get0_pubkey(certificate);
  if (key == nullptr) return false;
  bool const rsa = EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA || EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA_PSS;
  return EVP_PKEY_get_bits(key) > (rsa ? most_rsa_bits : most_dsa_bits);
}

}  // namespace

bool handshake_limits::attach(SSL_CTX* context) {
  if (auto* const own = SSL_CTX_get0_privatekey(context);
      own != nullptr && EVP_PKEY_get_bits(own) > most_own_key_bits) {
    fault_ = "the key of the client certificate has more than 4096 bits";
    return false;
  }
  // Fails only if this OpenSSL was built without one of them; it then offers its own.
  if (SSL_CTX_set1_groups_list(context, offered_groups) != 1) ERR_clear_error();
  usual_ = SSL_CTX_get_security_callback(context);
  SSL_CTX_set_security_callback(context, &handshake_limits::check);
  SSL_CTX_set0_security_ex_data(context, this);
  return true;
}

/// OpenSSL asks before it computes with a group that the server chose.
int handshake_limits::check(SSL const* connection, SSL_CTX const* context, int operation, int bits, int id,
                            void* subject, void* self) noexcept {
  auto& limits = *static_cast<handshake_limits*>(self);
  if (operation == SSL_SECOP_TMP_DH && subject != nullptr &&
      EVP_PKEY_get_bits(static_cast<EVP_PKEY const*>(subject)) > most_group_bits) {
    limits.fault_ = "the server's Diffie-Hellman group has more than 4096 bits";
    return 0;
  }
  return limits.usual_(connection, context, operation, bits, id, subject, nullptr);
}

bool has_large_key(X509_STORE_CTX* context) {
  if (is_large(X509_STORE_CTX_get0_cert(context))) return true;
  auto* const shown = X509_STORE_CTX_get0_untrusted(context);
  for (int i = 0; i < sk_X509_num(shown); ++i)
    if (is_large(sk_X509_value(shown, i))) return true;
  return false;
}

}  // namespace svc::egress
