#include "svc/monitoring/notifications/signature.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/random.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace svc::notifications {

namespace {

constexpr std::string_view prefix = "whsec_";
constexpr std::size_t shortest_key = 24, longest_key = 64, made_key = 32;

}  // namespace

secret_string make_signing_secret() {
  secret_bytes key(made_key);
  random_bytes(key);
  return secret_string(std::string(prefix) + to_base64(key));
}

result<secret_bytes> read_signing_secret(std::string_view text) {
  auto key = text.starts_with(prefix) ? from_base64(text.substr(prefix.size())) : std::nullopt;
  if (!key || key->size() < shortest_key || key->size() > longest_key)
    return error(errc::validation_failed, "must be whsec_ and the base64 of 24 to 64 bytes");
  secret_bytes out(key->begin(), key->end());
  wipe(key->data(), key->size());
  return out;
}

std::string sign(secret_bytes const& key, std::string_view id, std::int64_t seconds, std::string_view body) {
  auto const signed_text = std::string(id) + "." + std::to_string(seconds) + "." + std::string(body);
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), as_bytes(signed_text).data(), signed_text.size(),
       digest.data(), &size);
  return "v1," + to_base64(byte_view(digest).first(size));
}

}  // namespace svc::notifications
