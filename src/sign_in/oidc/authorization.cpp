#include "sign_in/oidc/authorization.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"
#include "svc/sign_in/sealed_cookies.hpp"

#include <openssl/crypto.h>

#include <chrono>
#include <optional>

namespace svc::sign_in {
namespace {

constexpr std::size_t longest_code = 4096;
/// The most by which the clocks of two instances may differ.
constexpr std::chrono::seconds flow_tolerance{60};

bool equal_secrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

/// The parameters of RFC 6749 must not be repeated (3.1).
struct callback_parameters {
  std::optional<std::string_view> state{}, code{}, error{}, issuer{};
  bool repeated = false;
};

callback_parameters parameters_in(std::vector<std::pair<std::string, std::string>> const& query) {
  callback_parameters out;
  auto const store = [&](std::optional<std::string_view>& into, std::string_view value) {
    out.repeated = out.repeated || into.has_value();
    into = value;
  };
  for (auto const& [name, value] : query) {
    if (name == "state") store(out.state, value);
    if (name == "code") store(out.code, value);
    if (name == "error") store(out.error, value);
    if (name == "iss") store(out.issuer, value);
  }
  return out;
}

/// Returns the provider's error code for the log. Other characters than those of RFC 6749 4.1.2.1 are left out.
std::string harmless_code(std::string_view code) {
  std::string out;
  for (char const c : code.substr(0, 64))
    if ((c >= 'a' && c <= 'z') || c == '_') out += c;
  return out;
}

}  // namespace

std::string code_challenge(std::string_view verifier) {
  return to_base64url(sha256(verifier));
}

std::string form_encoded(std::string_view text) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (plain.find(c) != std::string_view::npos)
      out += c;
    else
      out.append({'%', digits[byte >> 4U], digits[byte & 15U]});
  }
  return out;
}

void append_form_field(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty()) out += '&';
  out.append(form_encoded(name)).append("=").append(form_encoded(value));
}

std::string authorization_url(discovery_document const& document, oidc_settings const& settings,
                              oidc_provider const& provider, oidc_flow const& flow) {
  std::string scopes;
  for (auto const& each : provider.scopes) scopes.append(scopes.empty() ? "" : " ").append(each);
  std::string query;
  append_form_field(query, "response_type", "code");
  append_form_field(query, "client_id", provider.client_id);
  append_form_field(query, "redirect_uri", settings.redirect_url(provider.id));
  append_form_field(query, "scope", scopes);
  append_form_field(query, "state", flow.state);
  append_form_field(query, "nonce", flow.nonce);
  append_form_field(query, "code_challenge", code_challenge(flow.verifier.reveal()));
  append_form_field(query, "code_challenge_method", "S256");
  if (flow.is_fresh_sign_in()) {
    append_form_field(query, "prompt", "login");
    append_form_field(query, "max_age", "0");
  }
  auto const& endpoint = document.authorization_endpoint;
  return endpoint + (endpoint.find('?') == std::string::npos ? "?" : "&") + query;
}

oidc_result<callback_code> read_callback(std::vector<std::pair<std::string, std::string>> const& query,
                                         oidc_flow const& flow, oidc_provider const& provider,
                                         bool issuer_in_callback, std::int64_t now) {
  auto const got = parameters_in(query);
  if (got.repeated) return oidc_error{oidc_failure::callback_invalid, "The callback repeats a parameter."};
  if (flow.provider != provider.id || !got.state || !equal_secrets(*got.state, flow.state))
    return oidc_error{oidc_failure::state_mismatch, "The callback's state belongs to another flow."};
  auto const age = std::chrono::seconds(now - flow.started_at);
  if (age >= flow_life || age < -flow_tolerance)
    return oidc_error{oidc_failure::flow_expired, "The flow started more than ten minutes ago."};
  // RFC 9207 2.4: before the code or the error is believed.
  if ((got.issuer && *got.issuer != provider.issuer) || (issuer_in_callback && !got.issuer))
    return oidc_error{oidc_failure::issuer_mismatch, "The callback's iss is not the provider's."};
  if (got.error)
    return oidc_error{oidc_failure::denied, "The provider reports the error " + harmless_code(*got.error) + "."};
  if (!got.code || got.code->empty() || got.code->size() > longest_code)
    return oidc_error{oidc_failure::callback_invalid, "The callback has neither a code nor an error."};
  return callback_code{secret_string(*got.code)};
}

}  // namespace svc::sign_in
