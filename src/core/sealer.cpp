#include "svc/core/sealer.hpp"

#include "svc/core/hash.hpp"
#include "svc/core/random.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <memory>
#include <stdexcept>

namespace svc {
namespace {

constexpr std::size_t aes_key_size = 32;
constexpr std::size_t nonce_size = 12;
constexpr std::size_t tag_size = 16;

struct context_free {
  void operator()(EVP_CIPHER_CTX* c) const { EVP_CIPHER_CTX_free(c); }
};
using context = std::unique_ptr<EVP_CIPHER_CTX, context_free>;

context make_context() {
  context c(EVP_CIPHER_CTX_new());
  if (!c) throw std::bad_alloc();
  return c;
}

void check(int ok) {
  if (ok != 1) throw std::runtime_error("AES-256-GCM failed");
}

void check_key(byte_view key) {
  if (key.size() != aes_key_size) throw std::invalid_argument("an AES-256 key has 32 bytes");
}

unsigned char const* at(std::string_view text) {
  return reinterpret_cast<unsigned char const*>(text.data());
}

}  // namespace

byte_vector seal_bytes(byte_view key, std::string_view plain, std::string_view aad) {
  check_key(key);
  byte_vector sealed(nonce_size + plain.size() + tag_size);
  random_bytes(std::span(sealed).first(nonce_size));
  auto const c = make_context();
  int written = 0;
  check(EVP_EncryptInit_ex(c.get(), EVP_aes_256_gcm(), nullptr, key.data(), sealed.data()));
  check(EVP_EncryptUpdate(c.get(), nullptr, &written, at(aad), static_cast<int>(aad.size())));
  auto* const body = sealed.data() + nonce_size;
  check(EVP_EncryptUpdate(c.get(), body, &written, at(plain), static_cast<int>(plain.size())));
  check(EVP_EncryptFinal_ex(c.get(), body + plain.size(), &written));
  check(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_GCM_GET_TAG, tag_size, body + plain.size()));
  return sealed;
}

std::optional<secret_string> open_bytes(byte_view key, byte_view sealed, std::string_view aad) {
  check_key(key);
  if (sealed.size() < nonce_size + tag_size) return std::nullopt;
  auto const body = sealed.subspan(nonce_size, sealed.size() - nonce_size - tag_size);
  std::array<std::uint8_t, tag_size> tag;
  std::copy(sealed.end() - tag_size, sealed.end(), tag.begin());
  // One byte more than the text: OpenSSL must get an address even for an empty one.
  secret_string plain(body.size() + 1);
  auto* const out = reinterpret_cast<unsigned char*>(plain.data());
  auto const c = make_context();
  int written = 0;
  check(EVP_DecryptInit_ex(c.get(), EVP_aes_256_gcm(), nullptr, key.data(), sealed.data()));
  check(EVP_DecryptUpdate(c.get(), nullptr, &written, at(aad), static_cast<int>(aad.size())));
  check(EVP_DecryptUpdate(c.get(), out, &written, body.data(), static_cast<int>(body.size())));
  check(EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_GCM_SET_TAG, tag_size, tag.data()));
  if (EVP_DecryptFinal_ex(c.get(), out + body.size(), &written) != 1) return std::nullopt;
  plain.shorten(body.size());
  return plain;
}

secret_bytes derive_key(byte_view key, std::string_view purpose) {
  struct kdf_free {
    void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
    void operator()(EVP_KDF_CTX* kdf) const { EVP_KDF_CTX_free(kdf); }
  };
  std::unique_ptr<EVP_KDF, kdf_free> const kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  std::unique_ptr<EVP_KDF_CTX, kdf_free> const c(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
  if (!c) throw std::bad_alloc();
  std::string digest = "SHA256";
  // OpenSSL does not change the memory that its parameters point to.
  std::array<OSSL_PARAM, 4> const parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, const_cast<std::uint8_t*>(key.data()), key.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, const_cast<char*>(purpose.data()), purpose.size()),
      OSSL_PARAM_construct_end()};
  secret_bytes derived(aes_key_size);
  if (EVP_KDF_derive(c.get(), derived.data(), derived.size(), parameters.data()) != 1)
    throw std::runtime_error("HKDF-SHA-256 failed");
  return derived;
}

sealer::sealer(secret_bytes key) : key_(std::move(key)) {
  check_key(key_);
  id_ = to_hex(sha256(as_text(key_))).substr(0, 16);
}

sealer::data_key sealer::make_data_key(std::string_view aad) const {
  secret_bytes plain(aes_key_size);
  random_bytes(plain);
  auto wrapped = wrap(plain, aad);
  return {std::move(plain), std::move(wrapped)};
}

byte_vector sealer::wrap(byte_view data_key, std::string_view aad) const {
  return seal_bytes(key_, as_text(data_key), aad);
}

std::optional<secret_bytes> sealer::unwrap(byte_view wrapped, std::string_view aad) const {
  auto const plain = open_bytes(key_, wrapped, aad);
  if (!plain || plain->reveal().size() != aes_key_size) return std::nullopt;
  auto const bytes = as_bytes(plain->reveal());
  return secret_bytes(bytes.begin(), bytes.end());
}

}  // namespace svc
