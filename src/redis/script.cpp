#include "svc/redis/script.hpp"

#include "svc/core/bytes.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace svc::redis {
namespace {

/// Redis names scripts by SHA-1; it is a name here and protects nothing.
std::string sha1_hex(std::string_view text) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha1(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL offers no SHA-1, which EVALSHA needs");
  }
  return to_hex({digest.data(), length});
}

}  // namespace

script::script(std::string_view name, std::string_view body) : name_(name), body_(body), sha_(sha1_hex(body)) {}

}  // namespace svc::redis
