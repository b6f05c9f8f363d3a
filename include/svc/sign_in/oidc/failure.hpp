#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace svc::sign_in {

/// The reason why a step of a sign-in with an identity provider failed. The names are values of metrics and log
/// lines.
enum class oidc_failure : std::uint8_t {
  // the provider
  busy,            ///< too many requests to providers at once
  unreachable,     ///< no answer: DNS, TCP, TLS, a deadline, or a status that is not an answer
  answer_invalid,  ///< the answer is too long, or is not the document that the specification describes
  unsupported,     ///< the provider lacks the authorization code flow, S256 or every accepted algorithm
  client_refused,  ///< the provider does not accept the client's id or secret
  code_refused,    ///< the provider does not accept the code: used, expired, or another client's
  // the browser's request
  callback_invalid,  ///< the callback is not one of RFC 6749 4.1.2
  state_mismatch,    ///< the callback belongs to another flow
  flow_expired,      ///< the flow started more than ten minutes ago
  denied,            ///< the provider reports an error, such as a person who declined
  // the ID token
  token_malformed,    ///< not a JWS in compact form with a JSON object
  algorithm_refused,  ///< not RS256, PS256 or ES256, or a critical header that we do not know
  key_unknown,        ///< no key of the provider has this id and type
  signature_invalid,  ///< the key did not make the signature
  issuer_mismatch,    ///< issued by another provider
  audience_mismatch,  ///< issued for another client
  token_expired,
  issued_at_invalid,  ///< issued in the future, or long ago
  nonce_mismatch,     ///< issued for another flow
  sign_in_not_fresh,  ///< a fresh sign-in was asked for, and the token does not prove one
  claims_invalid,     ///< a claim that we need is missing or has another type
};

inline constexpr std::size_t oidc_failure_count = static_cast<std::size_t>(oidc_failure::claims_invalid) + 1;

std::string_view to_string(oidc_failure failure);

/// A failure, and one sentence for the operator's log. The sentence quotes no token, code or secret.
struct oidc_error {
  oidc_failure failure = oidc_failure::answer_invalid;
  std::string message{};
};

template <class T>
using oidc_result = boost::system::result<T, oidc_error>;

/// Called by `oidc_result::value()` on a failure: a bug in the caller.
[[noreturn]] inline void throw_exception_from_error(oidc_error const& e, boost::source_location const&) {
  throw std::logic_error("unchecked failure of a sign-in: " + e.message);
}

}  // namespace svc::sign_in
