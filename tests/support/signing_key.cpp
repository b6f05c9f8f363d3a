#include "support/signing_key.hpp"

#include "svc/core/bytes.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <stdexcept>

namespace svc::test {
namespace {

void must(bool done) {
  if (!done) throw std::runtime_error("OpenSSL cannot make a key or a signature");
}

std::string number(EVP_PKEY const* key, char const* name, int size = 0) {
  BIGNUM* found = nullptr;
  must(EVP_PKEY_get_bn_param(key, name, &found) == 1);
  byte_vector bytes(static_cast<std::size_t>(size > 0 ? size : BN_num_bytes(found)));
  must(BN_bn2binpad(found, bytes.data(), static_cast<int>(bytes.size())) >= 0);
  BN_free(found);
  return to_base64url(bytes);
}

std::string part(std::string_view text) {
  return to_base64url(as_bytes(text));
}

/// RFC 7518 3.4: r and s, 32 bytes each, instead of OpenSSL's DER.
byte_vector without_der(byte_vector const& der) {
  auto const* position = der.data();
  ECDSA_SIG* const pair = d2i_ECDSA_SIG(nullptr, &position, static_cast<long>(der.size()));
  must(pair != nullptr);
  byte_vector out(64);
  must(BN_bn2binpad(ECDSA_SIG_get0_r(pair), out.data(), 32) == 32);
  must(BN_bn2binpad(ECDSA_SIG_get0_s(pair), out.data() + 32, 32) == 32);
  ECDSA_SIG_free(pair);
  return out;
}

}  // namespace

signing_key::signing_key(EVP_PKEY* key) : key_(key, &EVP_PKEY_free) {
  must(key != nullptr);
}

signing_key signing_key::rsa(unsigned bits) {
  return signing_key(EVP_RSA_gen(bits));
}

signing_key signing_key::elliptic(char const* curve) {
  return signing_key(EVP_EC_gen(curve));
}

std::string signing_key::jwk(std::string_view members) const {
  std::string out = "{" + std::string(members);
  if (EVP_PKEY_is_a(key_.get(), "RSA") == 1)
    return out + R"("kty":"RSA","n":")" + number(key_.get(), OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
           number(key_.get(), OSSL_PKEY_PARAM_RSA_E) + "\"}";
  bool const p256 = EVP_PKEY_get_bits(key_.get()) == 256;
  int const size = p256 ? 32 : 48;
  return out + R"("kty":"EC","crv":")" + (p256 ? "P-256" : "P-384") + R"(","x":")" +
         number(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, size) + R"(","y":")" +
         number(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, size) + "\"}";
}

std::string signing_key::pem() const {
  BIO* const memory = BIO_new(BIO_s_mem());
  must(PEM_write_bio_PUBKEY(memory, key_.get()) == 1);
  char* text = nullptr;
  auto const size = BIO_get_mem_data(memory, &text);
  std::string out(text, static_cast<std::size_t>(size));
  BIO_free(memory);
  return out;
}

std::string signing_key::signature(std::string_view algorithm, std::string const& content) const {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* options = nullptr;
  auto const* const digest = algorithm == "RS512" ? EVP_sha512() : EVP_sha256();
  must(EVP_DigestSignInit(context, &options, digest, nullptr, key_.get()) == 1);
  if (algorithm == "PS256")
    must(EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1);
  std::size_t size = 0;
  auto const bytes = as_bytes(content);
  must(EVP_DigestSign(context, nullptr, &size, bytes.data(), bytes.size()) == 1);
  byte_vector out(size);
  must(EVP_DigestSign(context, out.data(), &size, bytes.data(), bytes.size()) == 1);
  EVP_MD_CTX_free(context);
  out.resize(size);
  return to_base64url(algorithm == "ES256" ? without_der(out) : out);
}

std::string signing_key::sign(std::string_view algorithm, std::string_view header, std::string_view payload,
                              std::string_view secret) const {
  auto const content = part(header) + "." + part(payload);
  if (algorithm == "none") return content + ".";
  if (algorithm != "HS256") return content + "." + signature(algorithm, content);
  std::array<std::uint8_t, 32> digest{};
  auto const bytes = as_bytes(content);
  must(HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), bytes.data(), bytes.size(), digest.data(),
            nullptr) != nullptr);
  return content + "." + to_base64url(digest);
}

}  // namespace svc::test
