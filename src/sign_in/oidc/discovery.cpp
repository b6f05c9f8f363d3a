#include "sign_in/oidc/discovery.hpp"

#include "sign_in/oidc/claims_json.hpp"
#include "svc/sign_in/oidc/settings.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace svc::sign_in {
namespace {

/// The database keeps the issuer with each identity.
constexpr std::size_t longest_issuer = 500;
constexpr std::string_view well_known = "/.well-known/openid-configuration";

oidc_error wrong_document(std::string message) {
  return {oidc_failure::answer_invalid, "The discovery document " + std::move(message) + "."};
}

oidc_error unsupported(std::string_view member, std::string_view needed) {
  return {oidc_failure::unsupported,
          "The discovery document has a list " + std::string(member) + " without " + std::string(needed) + "."};
}

/// Returns an https URL; `std::nullopt` if the member is missing or is anything else.
std::optional<egress::http_url> endpoint_of(boost::json::object const& document, std::string_view name) {
  auto const text = text_member(document, name);
  if (!text) return std::nullopt;
  auto url = egress::parse_http_url(*text);
  if (!url || !url->where.secure) return std::nullopt;
  return std::move(*url);
}

/// Returns true if the list has one of the values. A missing list has all of them, because each of these lists has a
/// default that contains ours or is optional.
template <class Values>
bool offers(boost::json::object const& document, std::string_view name, Values const& values) {
  auto const* const found = document.if_contains(name);
  if (found == nullptr) return true;
  auto const list = text_list(*found);
  return list && std::ranges::any_of(
                     values, [&](std::string_view value) { return std::ranges::find(*list, value) != list->end(); });
}

}  // namespace

bool is_issuer(std::string_view text) {
  return text.size() <= longest_issuer && discovery_url(text).has_value();
}

std::optional<egress::http_url> discovery_url(std::string_view issuer) {
  auto const url = egress::parse_http_url(issuer);
  if (!url || !url->where.secure || issuer.find_first_of("?#") != std::string_view::npos) return std::nullopt;
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  auto found = egress::parse_http_url(std::string(issuer).append(well_known));
  if (!found) return std::nullopt;
  return std::move(*found);
}

oidc_result<discovery_document> parse_discovery(std::string_view body, std::string_view issuer) {
  auto const object = parse_object(body);
  if (!object) return wrong_document("is not a JSON object");
  if (text_member(*object, "issuer") != issuer) return wrong_document("names another issuer than the configuration");
  auto const authorization = endpoint_of(*object, "authorization_endpoint");
  if (!authorization) return wrong_document("has no https authorization_endpoint");
  auto token = endpoint_of(*object, "token_endpoint");
  if (!token) return wrong_document("has no https token_endpoint");
  auto keys = endpoint_of(*object, "jwks_uri");
  if (!keys) return wrong_document("has no https jwks_uri");
  if (!offers(*object, "response_types_supported", std::array{"code"}))
    return unsupported("response_types_supported", "code");
  // A provider without this list may still know PKCE; one with the list must offer S256.
  if (!offers(*object, "code_challenge_methods_supported", std::array{"S256"}))
    return unsupported("code_challenge_methods_supported", "S256");
  if (!offers(*object, "id_token_signing_alg_values_supported", std::array{"RS256", "PS256", "ES256"}))
    return unsupported("id_token_signing_alg_values_supported", "RS256, PS256 or ES256");
  constexpr std::string_view methods = "token_endpoint_auth_methods_supported";
  bool const basic = offers(*object, methods, std::array{"client_secret_basic"});
  if (!basic && !offers(*object, methods, std::array{"client_secret_post"}))
    return unsupported(methods, "client_secret_basic or client_secret_post");
  auto const* const announced = object->if_contains("authorization_response_iss_parameter_supported");
  return discovery_document{
      .authorization_endpoint = authorization->to_string(),
      .token_endpoint = std::move(*token),
      .jwks_uri = std::move(*keys),
      .authentication = basic ? client_authentication::basic : client_authentication::post,
      .issuer_in_callback = announced != nullptr && announced->is_bool() && announced->as_bool()};
}

}  // namespace svc::sign_in
