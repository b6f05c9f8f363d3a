#pragma once

#include "sign_in/oidc/authorization.hpp"
#include "sign_in/oidc/discovery.hpp"
#include "svc/core/secret.hpp"
#include "svc/egress/http/http_client.hpp"
#include "svc/sign_in/oidc/failure.hpp"

#include <string_view>

namespace svc::sign_in {

/// Returns the request that exchanges a code for tokens (RFC 6749 4.1.3, RFC 7636 4.5). The client proves its secret
/// as the provider's metadata say.
egress::http_request token_request(discovery_document const& document, oidc_settings const& settings,
                                   oidc_provider const& provider, secret_string const& code,
                                   secret_string const& verifier);

/// Returns the ID token of an answer (OpenID Connect Core 3.1.3.3); every other token in it is dropped. An answer
/// with an error (RFC 6749 5.2) becomes `client_refused` or `code_refused`. Total.
oidc_result<secret_string> read_token_answer(int status, std::string_view body);

}  // namespace svc::sign_in
