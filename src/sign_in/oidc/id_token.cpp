#include "sign_in/oidc/id_token.hpp"

#include "sign_in/oidc/claims_json.hpp"
#include "svc/core/bytes.hpp"
#include "svc/domain/display_text.hpp"
#include "svc/sign_in/browser_input.hpp"

#include <cjose/jws.h>

#include <algorithm>

namespace svc::sign_in {
namespace {

constexpr std::size_t longest_subject = 255, longest_name = 255, longest_kid = 1024;
constexpr std::size_t most_groups = 1000, longest_group = 1024;

oidc_error malformed(std::string message) {
  return {oidc_failure::token_malformed, std::move(message)};
}

oidc_error wrong_claims(std::string message) {
  return {oidc_failure::claims_invalid, std::move(message)};
}

/// The parts of a JWS in compact form (RFC 7515 7.1) except the signature.
struct token_parts {
  boost::json::object header;
  byte_vector payload;
};

oidc_result<token_parts> split(std::string_view token) {
  if (token.size() > longest_id_token) return malformed("The ID token is longer than 64 KiB.");
  if (std::ranges::count(token, '.') != 2) return malformed("The ID token does not have three parts.");
  auto const first = token.find('.'), second = token.rfind('.');
  auto const header = from_base64url(token.substr(0, first));
  auto payload = from_base64url(token.substr(first + 1, second - first - 1));
  if (!header || !payload || !from_base64url(token.substr(second + 1)))
    return malformed("A part of the ID token is not base64url.");
  auto object = parse_object(as_text(*header));
  if (!object) return malformed("The header of the ID token is not a JSON object.");
  return token_parts{std::move(*object), std::move(*payload)};
}

oidc_result<id_token_header> read_header(boost::json::object const& header) {
  auto const algorithm = signature_algorithm_named(text_member(header, "alg").value_or(""));
  if (!algorithm)
    return oidc_error{oidc_failure::algorithm_refused, "The ID token is not signed with RS256, PS256 or ES256."};
  if (header.contains("crit") || header.contains("b64"))
    return oidc_error{oidc_failure::algorithm_refused, "The ID token has header parameters that are not known here."};
  id_token_header out{.algorithm = *algorithm};
  if (header.contains("kid")) {
    auto const kid = text_member(header, "kid");
    if (!kid || kid->size() > longest_kid) return malformed("The kid of the ID token is not a short text.");
    out.kid = *kid;
  }
  return out;
}

/// libcjose reads the token itself, and takes the algorithm from its header, which was checked before. It compares
/// the algorithm with the type of the key again.
bool is_signed_by(std::string_view token, verification_key const& key) {
  std::unique_ptr<cjose_jws_t, decltype(&cjose_jws_release)> const jws(
      cjose_jws_import(token.data(), token.size(), nullptr), &cjose_jws_release);
  return jws != nullptr && cjose_jws_verify(jws.get(), key.handle.get(), nullptr);
}

/// `aud` is a text or a list. With several audiences, `azp` must say that the token is for us.
oidc_result<void> check_audience(boost::json::object const& claims, std::string const& client) {
  auto const* const audience = claims.if_contains("aud");
  if (audience == nullptr) return wrong_claims("The ID token has no aud.");
  std::vector<std::string> all;
  if (audience->is_string())
    all.emplace_back(audience->as_string());
  else if (auto list = text_list(*audience))
    all = std::move(*list);
  else
    return wrong_claims("The aud of the ID token is neither a text nor a list of texts.");
  auto const* const party = claims.if_contains("azp");
  bool const ours = std::ranges::find(all, client) != all.end();
  bool const foreign_party = party != nullptr && text_member(claims, "azp") != client;
  if (!ours || foreign_party || (all.size() > 1 && party == nullptr))
    return oidc_error{oidc_failure::audience_mismatch, "The ID token was issued for another client (aud, azp)."};
  return {};
}

oidc_result<void> check_times(boost::json::object const& claims, id_token_expectation const& expected) {
  auto const expiry = time_member(claims, "exp"), issued = time_member(claims, "iat");
  if (!expiry || !issued) return wrong_claims("The ID token lacks exp or iat.");
  auto const tolerance = clock_tolerance.count();
  if (*expiry + tolerance <= expected.now)
    return oidc_error{oidc_failure::token_expired, "The ID token has expired; compare this machine's clock."};
  if (*issued > expected.now + tolerance || *issued < expected.now - longest_token_age.count() - tolerance)
    return oidc_error{oidc_failure::issued_at_invalid,
                      "The iat of the ID token is in the future or long ago; compare this machine's clock."};
  if (!expected.fresh_since) return {};
  auto const authenticated = time_member(claims, "auth_time");
  if (!authenticated || *authenticated < *expected.fresh_since - tolerance ||
      *authenticated > expected.now + tolerance)
    return oidc_error{oidc_failure::sign_in_not_fresh,
                      "The auth_time of the ID token does not show that the person has just signed in."};
  return {};
}

bool is_line(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// Returns an empty text if the claim is no address of ASCII characters. Other characters could become equal to ASCII
/// letters when PostgreSQL changes their case, and so lead to another person's account.
std::string email_in(boost::json::object const& claims) {
  auto const text = text_member(claims, "email").value_or("");
  if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; })) return {};
  return normalised_email(text).value_or("");
}

oidc_result<std::vector<std::string>> groups_in(boost::json::object const& claims, std::string const& name) {
  std::vector<std::string> out;
  if (name.empty()) return out;
  auto const* const claim = claims.if_contains(name);
  auto list = claim != nullptr ? text_list(*claim) : std::nullopt;
  // Without this refusal, a provider that stops sending the claim would take everybody's roles.
  if (!list) return wrong_claims("The ID token has no list of texts in the configured groups_claim.");
  if (list->size() > most_groups) return wrong_claims("The ID token has more than 1000 groups.");
  std::erase_if(*list, [](std::string const& group) { return !is_line(group, longest_group); });
  return std::move(*list);
}

oidc_result<identity> read_identity(boost::json::object const& claims, id_token_expectation const& expected) {
  auto const subject = text_member(claims, "sub").value_or("");
  if (!is_line(subject, longest_subject))
    return wrong_claims("The sub of the ID token is not a text of 1 to 255 bytes.");
  auto groups = groups_in(claims, expected.groups_claim);
  if (!groups) return groups.error();
  identity out{.issuer = expected.issuer, .subject = std::string(subject), .email = email_in(claims)};
  // Anything else than true, such as a text, must not count as verified, nor as unstated.
  if (auto const* const verified = claims.if_contains("email_verified"))
    out.email_verified = verified->is_bool() && verified->as_bool();
  if (auto const name = text_member(claims, "name").value_or("");
      is_line(name, longest_name) && !has_hidden_character(name))
    out.name = name;
  out.groups = std::move(*groups);
  return out;
}

}  // namespace

oidc_result<id_token_header> read_id_token_header(std::string_view token) {
  auto const parts = split(token);
  if (!parts) return parts.error();
  return read_header(parts->header);
}

oidc_result<identity> verify_id_token(std::string_view token, key_set const& keys,
                                      id_token_expectation const& expected) {
  auto const parts = split(token);
  if (!parts) return parts.error();
  auto const header = read_header(parts->header);
  if (!header) return header.error();
  auto const* const key = keys.find(header->kid, header->algorithm);
  if (key == nullptr)
    return oidc_error{oidc_failure::key_unknown, "No key of the provider fits the ID token's kid and alg."};
  if (!is_signed_by(token, *key))
    return oidc_error{oidc_failure::signature_invalid, "The signature of the ID token is wrong."};
  auto const claims = parse_object(as_text(parts->payload));
  if (!claims) return malformed("The payload of the ID token is not a JSON object.");
  if (text_member(*claims, "iss") != expected.issuer)
    return oidc_error{oidc_failure::issuer_mismatch,
                      "The iss of the ID token is another one than the configuration's."};
  if (auto const audience = check_audience(*claims, expected.client_id); !audience) return audience.error();
  if (auto const times = check_times(*claims, expected); !times) return times.error();
  if (text_member(*claims, "nonce") != expected.nonce)
    return oidc_error{oidc_failure::nonce_mismatch, "The nonce of the ID token belongs to another flow."};
  return read_identity(*claims, expected);
}

}  // namespace svc::sign_in
