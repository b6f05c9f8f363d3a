#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/principal.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace svc::access {
class change_publisher;
}
namespace svc::store {
class token_store;
}

namespace svc::access {

/// Handles the first use of a rotated secret, which proves that the client has it and decides the end of the
/// previous secret. Worker-local, owned by the pipeline; the referenced objects outlive it.
class secret_confirmer {
 public:
  using auth_record = std::shared_ptr<token_record const>;

  secret_confirmer(store::token_store& tokens, change_publisher& changes) : tokens_(tokens), changes_(changes) {}

  /// Confirms the secret and bumps the subject's epoch; concurrent calls for one secret share a transaction.
  /// When PostgreSQL is unreachable it gives up in time, and the next use confirms. Throws `write_refused`
  /// when the token has become invalid since it was admitted.
  task<> confirm(sha256_digest secret, auth_record record, audit_actor actor, deadline until);

 private:
  struct outcome {
    std::vector<subject_epoch> touched{};
    std::optional<errc> refused{};
  };
  using flights = single_flight<sha256_digest, outcome, digest_hash>;
  using flight_ptr = flights::flight_ptr;

  flight_ptr launch(sha256_digest const& secret, principal const& caller, audit_actor actor, executor executor);
  task<> fly(sha256_digest secret, principal caller, audit_actor actor, flight_ptr f);

  store::token_store& tokens_;
  change_publisher& changes_;
  flights underway_;
};

}  // namespace svc::access
