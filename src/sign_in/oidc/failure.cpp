#include "svc/sign_in/oidc/failure.hpp"

#include <array>

namespace svc::sign_in {

std::string_view to_string(oidc_failure failure) {
  using enum oidc_failure;
  switch (failure) {
    case busy:
      return "busy";
    case unreachable:
      return "unreachable";
    case answer_invalid:
      return "answer_invalid";
    case unsupported:
      return "unsupported";
    case client_refused:
      return "client_refused";
    case code_refused:
      return "code_refused";
    case callback_invalid:
      return "callback_invalid";
    case state_mismatch:
      return "state_mismatch";
    case flow_expired:
      return "flow_expired";
    case denied:
      return "denied";
    case token_malformed:
      return "token_malformed";
    case algorithm_refused:
      return "algorithm_refused";
    case key_unknown:
      return "key_unknown";
    case signature_invalid:
      return "signature_invalid";
    case issuer_mismatch:
      return "issuer_mismatch";
    case audience_mismatch:
      return "audience_mismatch";
    case token_expired:
      return "token_expired";
    case issued_at_invalid:
      return "issued_at_invalid";
    case nonce_mismatch:
      return "nonce_mismatch";
    case sign_in_not_fresh:
      return "sign_in_not_fresh";
    case claims_invalid:
      return "claims_invalid";
  }
  return "unknown";
}

}  // namespace svc::sign_in
