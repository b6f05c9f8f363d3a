#pragma once

#include "svc/core/hash.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// The scope of a change by a session: a project of an organisation, an organisation, or (with neither) the
/// user's own account.
struct session_place {
  std::optional<uuid> project{};
  std::optional<uuid> organization{};
};

/// The right by which a request writes; its transaction checks that the right still exists.
struct write_permit {
  uuid token;
  uuid subject;
  std::int64_t epoch = 0;                  ///< of the subject, when the request was admitted
  std::vector<std::string> roles{};        ///< the roles that have the operation's permission
  std::optional<sha256_digest> secret{};   ///< the secret of the request; it can be invalid while its token is valid
  std::optional<session_place> session{};  ///< set if the writer is a session, whose id is `token`
};

/// A thing of a project that a transaction has created, changed or deleted.
struct changed_thing {
  uuid project;
  std::string resource{};    ///< as audit rows name it
  std::optional<uuid> id{};  ///< empty: unknown things of that kind
};
/// Called with the changes of a transaction after its COMMIT. Must not throw.
using change_listener = std::function<void(std::vector<changed_thing>)>;

/// The actor and its origin; the same for every audit row of one request.
struct audit_actor {
  std::optional<uuid> user{};  ///< empty: the operator's command line
  std::string name = "operator";
  std::optional<uuid> token{};
  std::string ip{};
  std::string user_agent{};
  std::string request_id{};
  std::optional<write_permit> permit{};  ///< empty: the operator, who needs none
  std::optional<uuid> session{};         ///< instead of `token`
  /// Receives the things of projects that the request's audit rows name; null: nobody asks.
  std::shared_ptr<std::vector<changed_thing>> audited{};

  /// Returns the trigger of a run that this actor starts, as runs show it.
  std::string_view run_trigger() const { return session ? "manual" : "remote"; }
};

/// One row of the audit log. `details` is a JSON object without secrets.
struct audit_entry {
  audit_actor actor;
  std::optional<uuid> organization{};
  std::optional<uuid> project{};
  std::string action{};    ///< e.g. cli_token.created
  std::string resource{};  ///< e.g. cli_token
  std::optional<uuid> resource_id{};
  std::string details = "{}";
};

}  // namespace svc
