#pragma once

#include "sign_in/oidc/discovery.hpp"
#include "svc/core/secret.hpp"
#include "svc/sign_in/oidc/failure.hpp"
#include "svc/sign_in/oidc/flow.hpp"
#include "svc/sign_in/oidc/settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::sign_in {

/// Returns the S256 challenge of a verifier (RFC 7636 4.2).
std::string code_challenge(std::string_view verifier);

/// Returns the address to which the browser goes, with every parameter of RFC 6749 4.1.1, OpenID Connect and PKCE.
std::string authorization_url(discovery_document const& document, oidc_settings const& settings,
                              oidc_provider const& provider, oidc_flow const& flow);

/// The parameters of a callback that belongs to the flow.
struct callback_code {
  secret_string code{};
};

/// Checks the query of a callback against the flow (RFC 6749 4.1.2, RFC 9207), and returns its code. `query` has
/// decoded names and values. The state is compared before anything else of the query is believed. Total.
oidc_result<callback_code> read_callback(std::vector<std::pair<std::string, std::string>> const& query,
                                         oidc_flow const& flow, oidc_provider const& provider,
                                         bool issuer_in_callback, std::int64_t now);

/// Appends `name=value` as `application/x-www-form-urlencoded`, with `&` between two.
void append_form_field(std::string& out, std::string_view name, std::string_view value);
/// Returns the text in that encoding.
std::string form_encoded(std::string_view text);

}  // namespace svc::sign_in
