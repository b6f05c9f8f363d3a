#pragma once

#include "sign_in/oidc/jwks.hpp"
#include "svc/domain/identity.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::sign_in {

/// The most by which the clocks of a provider and of this machine may differ.
inline constexpr std::chrono::seconds clock_tolerance{60};
/// The longest time between the issue of an ID token and its use: the life of a flow. Some providers write an `iat`
/// some minutes in the past.
inline constexpr std::chrono::seconds longest_token_age{600};
inline constexpr std::size_t longest_id_token = std::size_t{64} * 1024;

/// The values that an ID token must prove.
struct id_token_expectation {
  std::string issuer{}, client_id{}, nonce{};
  std::string groups_claim{};  ///< empty: groups are not read
  std::int64_t now = 0;        ///< seconds since 1970, as all times here
  /// The start of a fresh sign-in, before which the person must not have authenticated; empty for an ordinary
  /// sign-in.
  std::optional<std::int64_t> fresh_since{};
};

/// Returns the `kid` of a token's header, so that the caller can look for new keys first. Fails as `verify_id_token`
/// does for a header that it refuses. Total.
struct id_token_header {
  signature_algorithm algorithm{};
  std::optional<std::string> kid{};
};
oidc_result<id_token_header> read_id_token_header(std::string_view token);

/// Verifies an ID token (OpenID Connect Core 3.1.3.7) and returns what it proves about a person. The algorithm comes
/// from the header but must be RS256, PS256 or ES256 and fit the type of the key, so that neither `none` nor a public
/// key as an HMAC secret is possible. Total.
oidc_result<identity> verify_id_token(std::string_view token, key_set const& keys,
                                      id_token_expectation const& expected);

}  // namespace svc::sign_in
