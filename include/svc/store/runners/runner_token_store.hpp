#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/audit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A runner token to create, for either an organisation or a project.
struct new_runner_token {
  std::optional<uuid> organization{};
  std::optional<uuid> project{};
  std::string name;
  std::string start;
  sha256_digest digest{};
};

/// An unrevoked runner token as it is stored.
struct stored_runner_token {
  uuid id;
  std::string name;
  std::string start;
  uuid organization;
  std::optional<uuid> project{};
  std::int64_t runners = 0;                 ///< registered with this token
  std::optional<timestamp> last_seen_at{};  ///< the latest time of any of them
  timestamp created_at;
};

/// Runner tokens, as the operator manages them. Each change writes its audit row in the same transaction. The pool
/// outlives it. Every method throws `unavailable` when the database is gone or late.
class runner_token_store {
 public:
  explicit runner_token_store(postgres::pool& db) : db_(db) {}

  /// not_found: no such organisation or project. name_taken: by another unrevoked token of the organisation.
  /// runner_token_limit_reached: the organisation has 50 unrevoked ones.
  task<result<stored_runner_token>> create(new_runner_token new_runner_token, audit_actor actor, deadline until);
  /// The unrevoked tokens of one organisation, or of all.
  task<std::vector<stored_runner_token>> list(std::optional<uuid> organization, deadline until);
  /// Once this returns, no runner can authenticate with the token. not_found.
  task<result<>> revoke(uuid id, audit_actor actor, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
