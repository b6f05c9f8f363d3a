#pragma once

#include "svc/domain/principal.hpp"

namespace svc::store {

/// What the auth read's snapshot says against a token. A value.
struct token_facts {
  bool revoked = false;         ///< deleted, or its job is
  bool secret_dead = false;     ///< replaced by a newer secret
  bool enabled = true;          ///< the switch of PATCH
  bool owner_disabled = false;  ///< banned
  bool owner_removed = false;   ///< left the organisation once (rejoining brings nothing back) or is no member now
  role owner_role = role::none;
  bool project_archived = false;
};

/// The one reason that is shown, in the order of the enumeration of reasons a person would look for first.
token_state state_of(token_facts const& facts);

}  // namespace svc::store
