#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/page.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The runners of an organisation with all of its projects, or of one project.
struct runner_scope {
  uuid organization;
  std::optional<uuid> project{};
};

/// A thing with its name, which another thing shows. A value.
struct named_thing {
  uuid id;
  std::string name;
  std::string slug{};  ///< of a project
};

/// An unrevoked runner token as administrators see it. A value.
struct shown_runner_token {
  uuid id;
  std::string name;
  std::string start;
  std::optional<named_thing> project{};     ///< empty: all projects of the organisation
  std::int64_t runners = 0;                 ///< registered with this token
  std::optional<timestamp> last_seen_at{};  ///< the latest time of any of them
  std::optional<named_thing> creator{};     ///< empty: the operator
  timestamp created_at;
};

/// A registered runner as administrators see it. A value.
struct shown_runner {
  uuid id;
  std::string name;
  std::string version;
  std::string labels;  ///< a JSON list
  std::int64_t slots = 0;
  named_thing token;
  std::optional<named_thing> project{};  ///< empty: all projects of the organisation
  timestamp created_at;                  ///< of the registration
  timestamp last_seen_at;
  std::int64_t busy = 0;  ///< runs that it holds, of all projects
};

/// Runner tokens and runners, as the administrators of an organisation or a project see and change them. The
/// operator has `runner_token_store`. Worker-local; the pool outlives it. Every method throws `unavailable` when the
/// database is gone or late, and `write_refused` when the actor has lost its right meanwhile.
class organization_runner_store {
 public:
  explicit organization_runner_store(postgres::pool& db) : db_(db) {}

  /// The oldest first. The tokens of a project are those that serve only the project.
  task<page<shown_runner_token>> tokens(runner_scope scope, page_request wanted, deadline until);

  /// name_taken: by another unrevoked token of the organisation. runner_token_limit_reached, exact by a lock on the
  /// organisation's row. not_found.
  task<result<shown_runner_token>> create(runner_scope scope, std::string name, std::string start,
                                          sha256_digest digest, audit_actor actor, deadline until);

  /// Once this returns, no runner can authenticate with the token. not_found: no unrevoked token of the scope.
  task<result<>> revoke(runner_scope scope, uuid id, audit_actor actor, deadline until);

  /// The longest registered first. The runners of a project include those that serve the whole organisation.
  task<page<shown_runner>> runners(runner_scope scope, page_request wanted, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
