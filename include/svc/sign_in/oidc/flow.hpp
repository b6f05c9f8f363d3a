#pragma once

#include "svc/core/hash.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::sign_in {

/// The server's side of one sign-in with a provider. The browser keeps it in the sealed flow cookie. A value.
struct oidc_flow {
  std::string provider{};
  std::string state{};            ///< 43 characters; the callback must have it
  std::string nonce{};            ///< 43 characters; the ID token must have it
  secret_string verifier{};       ///< RFC 7636: 43 characters, whose SHA-256 the provider has
  std::int64_t started_at = 0;    ///< seconds since 1970
  std::string return_to{};        ///< `is_return_path`
  std::optional<uuid> session{};  ///< of a fresh sign-in: the session that it replaces
  /// The digest of the browser's session at the start, which the sign-in ends. The callback comes from another site,
  /// so the browser does not send it the Strict cookie of the session.
  std::optional<sha256_digest> replaced{};
  secret_string invitation{};  ///< empty: none

  bool is_fresh_sign_in() const { return session.has_value(); }
};

/// Starts a flow with new random values.
oidc_flow new_flow(std::string_view provider, std::string_view return_to, std::int64_t now);

/// The plain text of the flow cookie.
secret_string write_flow(oidc_flow const& flow);
/// Returns `std::nullopt` unless the text is one that `write_flow` could have written. Total.
std::optional<oidc_flow> read_flow(std::string_view text);

}  // namespace svc::sign_in
