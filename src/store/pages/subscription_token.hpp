#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/random.hpp"
#include "svc/core/secret.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Tokens of subscriptions: 192 random bits as base64url. One token confirms a subscription and ends it later, so the
// links of all its mails work as long as the subscription exists. The database has its digest, and the token only
// sealed with the project's data key.

namespace svc::store {

inline constexpr std::size_t subscription_token_bytes = 24;

inline secret_string mint_subscription_token() {
  std::array<std::uint8_t, subscription_token_bytes> bytes{};
  random_bytes(bytes);
  return secret_string(to_base64url(bytes));
}

/// Returns the digest of a well-formed token. Total.
inline std::optional<sha256_digest> read_subscription_token(std::string_view text) {
  if (text.size() != subscription_token_bytes / 3 * 4 || !from_base64url(text)) return std::nullopt;
  return sha256(text);
}

}  // namespace svc::store
