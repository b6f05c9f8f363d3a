#include "sign_in/oidc/jwks.hpp"

#include "sign_in/oidc/claims_json.hpp"
#include "svc/core/bytes.hpp"

#include <cjose/jwk.h>

#include <algorithm>

namespace svc::sign_in {
namespace {

constexpr std::size_t least_modulus = 2048 / 8, most_modulus = 8192 / 8, most_exponent = 8, coordinate = 32;

std::shared_ptr<cjose_jwk_t> owned(cjose_jwk_t* key) {
  if (key == nullptr) return nullptr;
  return {key, [](cjose_jwk_t* released) { static_cast<void>(cjose_jwk_release(released)); }};
}

std::optional<byte_vector> bytes_member(boost::json::object const& key, std::string_view name) {
  auto const text = text_member(key, name);
  return text ? from_base64url(*text) : std::nullopt;
}

/// Gives libcjose only the public numbers, so that no member of the document can make another kind of key.
std::shared_ptr<cjose_jwk_t> rsa_key(boost::json::object const& key) {
  auto modulus = bytes_member(key, "n"), exponent = bytes_member(key, "e");
  if (!modulus || !exponent) return nullptr;
  // Some providers write a leading zero, which RFC 7518 6.3.1.1 forbids.
  if (!modulus->empty() && modulus->front() == 0) modulus->erase(modulus->begin());
  bool const large_enough =
      modulus->size() > least_modulus || (modulus->size() == least_modulus && modulus->front() >= 0x80);
  if (!large_enough || modulus->size() > most_modulus || exponent->empty() || exponent->size() > most_exponent)
    return nullptr;
  // An exponent of 1 would accept every signature.
  std::uint64_t number = 0;
  for (auto const byte : *exponent) number = number << 8U | byte;
  if (number < 3 || number % 2 == 0) return nullptr;
  cjose_jwk_rsa_keyspec spec{};
  spec.n = modulus->data();
  spec.nlen = modulus->size();
  spec.e = exponent->data();
  spec.elen = exponent->size();
  return owned(cjose_jwk_create_RSA_spec(&spec, nullptr));
}

std::shared_ptr<cjose_jwk_t> p256_key(boost::json::object const& key) {
  if (text_member(key, "crv") != "P-256") return nullptr;
  auto x = bytes_member(key, "x"), y = bytes_member(key, "y");
  if (!x || !y || x->size() != coordinate || y->size() != coordinate) return nullptr;
  cjose_jwk_ec_keyspec spec{};
  spec.crv = CJOSE_JWK_EC_P_256;
  spec.x = x->data();
  spec.xlen = x->size();
  spec.y = y->data();
  spec.ylen = y->size();
  return owned(cjose_jwk_create_EC_spec(&spec, nullptr));
}

bool is_for_signatures(boost::json::object const& key) {
  if (auto const* const use = key.if_contains("use"); use != nullptr && text_member(key, "use") != "sig")
    return false;
  auto const* const operations = key.if_contains("key_ops");
  if (operations == nullptr) return true;
  auto const list = text_list(*operations);
  return list && std::ranges::find(*list, "verify") != list->end();
}

/// Returns a key without a handle if it cannot verify ID tokens.
verification_key read_key(boost::json::object const& key) {
  verification_key out;
  if (!is_for_signatures(key)) return out;
  if (auto const kid = text_member(key, "kid")) out.kid = *kid;
  if (key.contains("alg")) {
    out.algorithm = signature_algorithm_named(text_member(key, "alg").value_or(""));
    if (!out.algorithm) return out;
  }
  auto const type = text_member(key, "kty");
  out.elliptic = type == "EC";
  if (type == "RSA") out.handle = rsa_key(key);
  if (type == "EC") out.handle = p256_key(key);
  return out;
}

}  // namespace

std::optional<signature_algorithm> signature_algorithm_named(std::string_view name) {
  if (name == "RS256") return signature_algorithm::rs256;
  if (name == "PS256") return signature_algorithm::ps256;
  if (name == "ES256") return signature_algorithm::es256;
  return std::nullopt;
}

verification_key const* key_set::find(std::optional<std::string_view> kid, signature_algorithm algorithm) const {
  verification_key const* found = nullptr;
  for (auto const& each : keys) {
    if (!each.fits(algorithm) || (kid && each.kid != *kid)) continue;
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

oidc_result<key_set> parse_key_set(std::string_view body) {
  auto const object = parse_object(body);
  auto const* const list = object ? object->if_contains("keys") : nullptr;
  if (list == nullptr || !list->is_array())
    return oidc_error{oidc_failure::answer_invalid, "The key set is not a JSON object with a list named keys."};
  key_set out;
  for (auto const& each : list->as_array()) {
    if (out.keys.size() == most_keys) break;
    if (!each.is_object()) continue;
    if (auto key = read_key(each.as_object()); key.handle) out.keys.push_back(std::move(key));
  }
  if (out.keys.empty())
    return oidc_error{oidc_failure::unsupported,
                      "The key set has no key for RS256, PS256 or ES256 (RSA of 2048 to 8192 bits, or P-256)."};
  return out;
}

}  // namespace svc::sign_in
