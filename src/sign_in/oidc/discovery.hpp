#pragma once

#include "svc/egress/url.hpp"
#include "svc/sign_in/oidc/failure.hpp"

#include <string>
#include <string_view>

namespace svc::sign_in {

/// The way in which a client proves its secret at the token endpoint (OpenID Connect Core 9).
enum class client_authentication : bool { basic, post };

/// The parts of a provider's metadata (OpenID Connect Discovery 3) that a sign-in needs. A value.
struct discovery_document {
  std::string authorization_endpoint{};  ///< https; may have a query
  egress::http_url token_endpoint{};
  egress::http_url jwks_uri{};
  client_authentication authentication = client_authentication::basic;
  bool issuer_in_callback = false;  ///< RFC 9207: the callback has `iss`
};

/// Returns the address of the metadata, or `std::nullopt` if the issuer is no https URL without query and fragment.
std::optional<egress::http_url> discovery_url(std::string_view issuer);

/// Reads the metadata. The document must name exactly this issuer, and its endpoints must be https. Total.
oidc_result<discovery_document> parse_discovery(std::string_view body, std::string_view issuer);

}  // namespace svc::sign_in
