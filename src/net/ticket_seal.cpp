#include "net/ticket_seal.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace svc::net {
namespace {

// What OpenSSL's callback returns.
constexpr int failed = -1, unknown = 0, good = 1, good_and_renewed = 2;

/// The place of the keys in a context, which frees them with itself.
int keys_place() {
  static int const place = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr,
      [](void*, void* keys, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<shared_ticket_keys*>(keys); });
  return place;
}

ticket_keys const& keys_of(SSL* ssl) {
  return **static_cast<shared_ticket_keys*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), keys_place()));
}

bool authenticate(EVP_MAC_CTX* mac, ticket_key const& key) {
  char digest[] = "SHA256";
  // OpenSSL reads them only.
  OSSL_PARAM const settings[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, const_cast<unsigned char*>(key.hmac.data()),
                                        key.hmac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, settings) == 1;
}

int seal(ticket_key const& key, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  std::copy(key.name.begin(), key.name.end(), name);
  auto const* const aes = EVP_aes_256_cbc();
  if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(aes)) != 1) return failed;
  bool const ready = EVP_EncryptInit_ex(cipher, aes, nullptr, key.aes.data(), iv) == 1 && authenticate(mac, key);
  return ready ? good : failed;
}

/// `once`: the ticket is not to be used again, so its client gets another one.
int open(ticket_keys const& keys, bool once, unsigned char const* name, unsigned char const* iv,
         EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  auto const key = std::ranges::find_if(
      keys, [name](ticket_key const& k) { return std::equal(k.name.begin(), k.name.end(), name); });
  if (key == keys.end()) return unknown;
  bool const ready =
      EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->aes.data(), iv) == 1 && authenticate(mac, *key);
  if (!ready) return failed;
  return key == keys.begin() && !once ? good : good_and_renewed;
}

int on_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
              int sealing) {
  auto const& keys = keys_of(ssl);
  if (sealing == 1) return seal(keys.front(), name, iv, cipher, mac);
  // By a ticket that comes twice an onlooker knows its client again (RFC 8446 C.4). TLS 1.2 sends tickets in the
  // clear anyway, and means them to be reused (RFC 5077 3.3).
  return open(keys, SSL_version(ssl) >= TLS1_3_VERSION, name, iv, cipher, mac);
}

}  // namespace

void use_ticket_keys(SSL_CTX* context, shared_ticket_keys keys) {
  auto held = std::make_unique<shared_ticket_keys>(std::move(keys));
  if (SSL_CTX_set_ex_data(context, keys_place(), held.get()) != 1) throw std::runtime_error("TLS session tickets");
  static_cast<void>(held.release());  // the context's now
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, on_ticket);
}

}  // namespace svc::net
