#include "sign_in/oidc/token_answer.hpp"

#include "sign_in/oidc/claims_json.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/bytes.hpp"

#include <string>

namespace svc::sign_in {
namespace {

oidc_error refused(std::string_view error) {
  if (error == "invalid_client" || error == "unauthorized_client")
    return {oidc_failure::client_refused,
            "The provider refuses the client; compare client_id and client_secret_file with its registration."};
  if (error == "invalid_grant")
    return {oidc_failure::code_refused,
            "The provider refuses the code: it was used, has expired, or belongs to another client."};
  return {oidc_failure::answer_invalid, "The provider refuses the token request as invalid."};
}

}  // namespace

egress::http_request token_request(discovery_document const& document, oidc_settings const& settings,
                                   oidc_provider const& provider, secret_string const& code,
                                   secret_string const& verifier) {
  egress::http_request out{.method = "POST",
                           .url = document.token_endpoint,
                           .secret_body = true,
                           .follow_redirects = false,
                           .most_body_bytes = longest_document};
  out.fields.push_back({"Content-Type", "application/x-www-form-urlencoded"});
  out.fields.push_back({"Accept", "application/json"});
  append_form_field(out.body, "grant_type", "authorization_code");
  append_form_field(out.body, "code", code.reveal());
  append_form_field(out.body, "redirect_uri", settings.redirect_url(provider.id));
  append_form_field(out.body, "code_verifier", verifier.reveal());
  if (document.authentication == client_authentication::post) {
    append_form_field(out.body, "client_id", provider.client_id);
    append_form_field(out.body, "client_secret", provider.client_secret.reveal());
  } else {
    // RFC 6749 2.3.1: both are form-encoded before they become a user and a password.
    auto pair = form_encoded(provider.client_id) + ":" + form_encoded(provider.client_secret.reveal());
    out.fields.push_back({"Authorization", "Basic " + to_base64(as_bytes(pair)), true});
    wipe(pair);
  }
  return out;
}

oidc_result<secret_string> read_token_answer(int status, std::string_view body) {
  auto const object = parse_object(body);
  if (!object) {
    if (status == 401) return refused("invalid_client");
    return oidc_error{oidc_failure::answer_invalid,
                      "The token endpoint answers with status " + std::to_string(status) + " and no JSON object."};
  }
  if (status != 200) return refused(text_member(*object, "error").value_or(status == 401 ? "invalid_client" : ""));
  auto const type = text_member(*object, "token_type");
  auto const token = text_member(*object, "id_token");
  if (!type || !iequals(*type, "bearer") || !token || token->empty())
    return oidc_error{
        oidc_failure::answer_invalid,
        "The answer of the token endpoint has no id_token of token_type Bearer; the scopes must have openid."};
  return secret_string(*token);
}

}  // namespace svc::sign_in
