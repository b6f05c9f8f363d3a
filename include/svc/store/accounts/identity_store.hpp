#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/domain/identity.hpp"
#include "svc/domain/quota.hpp"
#include "svc/domain/session.hpp"
#include "svc/store/accounts/sign_in_store.hpp"
#include "svc/store/change.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A role as the configuration names it: organization and project by slug or id.
struct named_role {
  std::string organization{};
  std::string project{};  ///< empty: the role is one of the organization
  std::string role{};
};

/// The statements of the configuration about an identity. A value.
struct identity_terms {
  bool email_is_verified = false;  ///< as in `identity_facts`, like the next two
  bool domain_is_managed = false;
  bool domain_is_foreign = false;
  /// True: the provider maps groups, so each sign-in writes `roles` and removes other managed roles. False: `roles`
  /// are given when the person joins, as if by hand.
  bool manages_roles = false;
  std::vector<named_role> roles{};
  std::optional<sha256_digest> invitation{};  ///< of its secret
};

/// Sign-ins with identities of a provider. One transaction finds the person, decides (`decide_identity`), joins or
/// creates the account, writes the mapped roles and opens the session, so that a sign-in is seen whole or not at all.
/// Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late; then a
/// change may or may not have happened.
class identity_store {
 public:
  explicit identity_store(postgres::pool& db, session_times times = {}, quota_table const& quotas = {})
      : db_(db), times_(times), most_members_(quotas.members) {}

  /// sign_in_refused, with a sentence for the person and the detail `reason`; member_limit_reached.
  task<change<signed_in>> sign_in(identity person, identity_terms terms, new_session session, deadline until);

  /// Replaces the secret of a session after a fresh sign-in by its own user. sign_in_refused: another person signed
  /// in. session_ended: the session has ended meanwhile.
  task<change<signed_in>> refresh(identity person, uuid session, new_session fresh, deadline until);

  /// Returns the providers of the user's identities, the last used first.
  task<std::vector<std::string>> providers_of(uuid user, deadline until);

  /// Returns true if somebody may still accept the invitation with this secret.
  task<bool> has_open_invitation(sha256_digest secret, deadline until);

 private:
  task<std::optional<change<signed_in>>> attempt(identity person, identity_terms terms, new_session session,
                                                 deadline until);

  postgres::pool& db_;
  session_times times_;
  std::size_t most_members_;  ///< of an organization; 0: any number
};

}  // namespace svc::store
