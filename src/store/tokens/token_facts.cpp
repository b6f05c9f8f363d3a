#include "store/tokens/token_facts.hpp"

namespace svc::store {

token_state state_of(token_facts const& facts) {
  if (facts.revoked) return token_state::revoked;
  if (facts.secret_dead) return token_state::secret_rotated;
  if (!facts.enabled) return token_state::disabled;
  if (facts.owner_disabled) return token_state::owner_disabled;
  if (facts.owner_removed) return token_state::owner_removed;
  if (facts.owner_role == role::none) return token_state::owner_without_role;
  if (facts.project_archived) return token_state::project_archived;
  return token_state::usable;
}

}  // namespace svc::store
