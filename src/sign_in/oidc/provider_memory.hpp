#pragma once

#include "sign_in/oidc/discovery.hpp"
#include "sign_in/oidc/jwks.hpp"
#include "svc/core/deadline.hpp"
#include "svc/sign_in/oidc/oidc_client.hpp"

#include <optional>
#include <utility>

namespace svc::sign_in {

/// The documents of a provider that an instance remembers, and the times at which it asks again. Pure; belongs to the
/// notification thread.
class provider_memory {
 public:
  /// Returns null if the metadata must be fetched.
  discovery_document const* document(steady::time_point now) const {
    return document_ && now < document_at_ + oidc_client::document_age ? &*document_ : nullptr;
  }
  void store(discovery_document document, steady::time_point now) {
    document_ = std::move(document);
    document_at_ = now;
  }

  /// Returns null if the keys must be fetched. A key that the provider withdraws is accepted until then.
  key_set const* keys(steady::time_point now) const {
    return keys_ && now < keys_at_ + oidc_client::document_age ? &*keys_ : nullptr;
  }
  void store(key_set keys, steady::time_point now) {
    keys_ = std::move(keys);
    keys_at_ = now;
  }

  /// Returns true, and starts the pause, if a token with an unknown key may cause a request for keys now. Tokens of
  /// invented keys then cause one request a minute.
  bool may_look_again(steady::time_point now) {
    if (asked_at_ && now < *asked_at_ + oidc_client::key_pause) return false;
    asked_at_ = now;
    return true;
  }

 private:
  std::optional<discovery_document> document_{};
  std::optional<key_set> keys_{};
  steady::time_point document_at_{}, keys_at_{};
  std::optional<steady::time_point> asked_at_{};
};

}  // namespace svc::sign_in
