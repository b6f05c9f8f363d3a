#pragma once

#include "svc/domain/principal.hpp"
#include "svc/store/token_store.hpp"

#include <string>

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

/// The reason to show if there are several: the one that a person would look for first.
token_state state_of(token_facts const& facts);

/// What an edit does to a token: its columns afterwards. A value.
struct token_plan {
  bool changes = false;  ///< false: nothing is written, no audit row, no new epoch
  bool enabled = true;
  std::optional<uuid> disabled_by{};
  std::string name{};
  std::optional<window_limit> rate{};
  std::optional<std::vector<std::string>> allowed_cidrs{};
  std::string verb{};     ///< of the audit row: enabled, disabled or updated
  std::string details{};  ///< of the audit row: what changed
};

/// not_found for a tombstone, permission_denied for another owner's token, precondition_failed.
result<> check_access(stored_token const& token, token_editor const& by);

/// The right by which the editor writes to this token: any role for what everyone may do to their own token, only an
/// administrator's for what `as_administrator` does.
audit_actor writer_of(stored_token const& token, token_editor const& by, bool as_administrator = false);

/// Also disabled_by_administrator, and permission_denied when it may never be enabled again.
result<token_plan> plan_edit(stored_token const& token, token_edit const& edit, token_editor const& by);

}  // namespace svc::store
