#include "svc/core/hash.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace svc {
namespace {

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}

constexpr auto crc_table = make_crc_table();

/// A hash context that its thread reuses: SHA256() looks the algorithm up and allocates each time, which costs more
/// than hashing a token.
class sha256_state {
 public:
  sha256_state() {
    if (!algorithm_ || !context_) throw std::bad_alloc();
  }

  void hash(byte_view bytes, sha256_digest& out) {
    bool const done = EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1 &&
                      EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1 &&
                      EVP_DigestFinal_ex(context_.get(), out.data(), nullptr) == 1;
    if (!done) throw std::bad_alloc();  // SHA-256 has no other way to fail
  }

 private:
  struct free {
    void operator()(EVP_MD* m) const { EVP_MD_free(m); }
    void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
  };
  std::unique_ptr<EVP_MD, free> algorithm_{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
  std::unique_ptr<EVP_MD_CTX, free> context_{EVP_MD_CTX_new()};
};

}  // namespace

sha256_digest sha256(std::string_view text) {
  thread_local sha256_state state;
  sha256_digest digest;
  state.hash(as_bytes(text), digest);
  return digest;
}

sha256_digest digest_of(byte_view stored) {
  sha256_digest out{};
  std::copy_n(stored.begin(), std::min(stored.size(), out.size()), out.begin());
  return out;
}

std::uint32_t crc32(std::string_view text) {
  std::uint32_t c = 0xFFFFFFFFU;
  for (std::uint8_t b : as_bytes(text)) c = crc_table[(c ^ b) & 0xFF] ^ (c >> 8);
  return c ^ 0xFFFFFFFFU;
}

std::size_t digest_hash::operator()(sha256_digest const& d) const noexcept {
  std::size_t h;
  std::memcpy(&h, d.data(), sizeof h);
  return h;
}

}  // namespace svc
