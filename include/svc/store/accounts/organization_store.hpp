#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/audit.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The sessions that an organisation admits. A value.
struct sign_in_policy {
  bool only_oidc = false;
  std::vector<std::string> providers{};  ///< with `only_oidc`: empty admits all
};

/// An organisation as its members see it. A value.
struct shown_organization {
  uuid id;
  std::string slug;
  std::string name;
  std::string policy;  ///< a JSON object with `signIn` and `providers`
  std::int64_t version = 1;
  timestamp created_at;
};

/// The organisations, as their members see and govern them. Worker-local; the pool outlives it. Every method throws
/// `unavailable` when the database is gone or late.
class organization_store {
 public:
  explicit organization_store(postgres::pool& db) : db_(db) {}

  /// not_found.
  task<result<shown_organization>> read(uuid organization, deadline until);

  /// not_found, precondition_failed.
  task<change<shown_organization>> rename(uuid organization, std::string name, version_condition expected,
                                          audit_actor actor, deadline until);

  /// Sets the policy and bumps all members. not_found, precondition_failed; policy_would_lock_out: the actor's
  /// session does not meet the policy. The operator has no session and may set any.
  task<change<shown_organization>> set_policy(uuid organization, sign_in_policy policy, version_condition expected,
                                              audit_actor actor, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
