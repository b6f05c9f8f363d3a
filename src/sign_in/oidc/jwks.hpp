#pragma once

#include "svc/sign_in/oidc/failure.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using cjose_jwk_t = struct _cjose_jwk_int;  // declared here so that users need no header of libcjose

namespace svc::sign_in {

/// The algorithms of RFC 7518 3.1 that an ID token may be signed with.
enum class signature_algorithm : std::uint8_t { rs256, ps256, es256 };

/// Returns `std::nullopt` for every other name: `none` and the symmetric algorithms among them.
std::optional<signature_algorithm> signature_algorithm_named(std::string_view name);

/// A public key of a provider. Copies share it; for one thread, because libcjose counts references without locks.
struct verification_key {
  std::string kid{};
  bool elliptic = false;                           ///< true: P-256; false: RSA
  std::optional<signature_algorithm> algorithm{};  ///< the only one that the key is for; empty: all of its type
  std::shared_ptr<cjose_jwk_t> handle{};

  bool fits(signature_algorithm wanted) const {
    return elliptic == (wanted == signature_algorithm::es256) && (!algorithm || *algorithm == wanted);
  }
};

/// The public keys of a provider (RFC 7517 5). A value of one thread.
struct key_set {
  std::vector<verification_key> keys{};

  /// Returns the key for a token. A token without a `kid` has a key only if exactly one fits (OpenID Connect Core
  /// 10.1). Returns null if there is none, or if several have this id.
  verification_key const* find(std::optional<std::string_view> kid, signature_algorithm algorithm) const;
};

/// The most keys that are read of one set.
inline constexpr std::size_t most_keys = 64;

/// Reads a key set. Leaves out keys that cannot verify ID tokens: other types and curves, RSA keys of less than 2048
/// or more than 8192 bits, keys for encryption, symmetric keys. Fails if no key is left. Total.
oidc_result<key_set> parse_key_set(std::string_view body);

}  // namespace svc::sign_in
