#pragma once

#include "svc/domain/principal.hpp"
#include "svc/store/token_store.hpp"

#include <string>

namespace svc::store {

/// The facts, from the snapshot of one auth read, that decide whether a token may be used. A value.
struct token_facts {
  bool revoked = false;         ///< revoked, or its job is deleted
  bool secret_dead = false;     ///< replaced by a newer secret
  bool enabled = true;          ///< as set at creation or by PATCH
  bool owner_disabled = false;  ///< banned
  bool owner_removed = false;   ///< has left the organisation since (rejoining restores nothing) or is not a member
  role owner_role = role::none;
  bool project_archived = false;
};

/// The state to report. If there are several reasons for refusal, the one that a person would look for first.
token_state state_of(token_facts const& facts);

/// The result of an edit: the token's columns afterwards. A value.
struct token_plan {
  bool changes = false;  ///< false: nothing is written, not even an audit row or an epoch
  bool enabled = true;
  std::optional<uuid> disabled_by{};
  std::string name{};
  std::optional<window_limit> rate{};
  std::optional<std::vector<std::string>> allowed_cidrs{};
  std::string verb{};     ///< of the audit row: enabled, disabled or updated
  std::string details{};  ///< of the audit row: what changed
};

/// Whether the editor may change the token. not_found for a tombstone, permission_denied for another owner's token,
/// precondition_failed.
result<> check_access(stored_token const& token, token_editor const& by);

/// The editor as the actor of a change, with the roles that this change needs: any role for what owners may do to
/// their own tokens, an administrator's role for what is done `as_administrator`.
audit_actor writer_of(stored_token const& token, token_editor const& by, bool as_administrator = false);

/// Fails like `check_access`, with disabled_by_administrator, or with permission_denied if it may not be enabled
/// again.
result<token_plan> plan_edit(stored_token const& token, token_edit const& edit, token_editor const& by);

}  // namespace svc::store
