#pragma once

#include "svc/domain/principal.hpp"
#include "svc/store/tokens/token_store.hpp"

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
  bool empowers = false;  ///< true if the token can do more afterwards: it is enabled, or its limits are wider
  std::string verb{};     ///< of the audit row: enabled, disabled or updated
  std::string details{};  ///< the changes, for the audit row
};

/// Returns success if the editor may change the token. not_found for a tombstone, permission_denied for another
/// owner's token, precondition_failed.
result<> check_access(stored_token const& token, token_editor const& editor);

/// The editor as the actor of a change, with the roles that this change needs: any role for changes by owners of
/// their own tokens; otherwise those of the editor's permit, as far as they are `least` or may do more.
audit_actor writer_of(stored_token const& token, token_editor const& editor, role least = role::none);

/// Returns the least role that may execute the plan for a token of an owner with the role `owner`.
role least_role(stored_token const& token, role owner, token_plan const& plan, token_editor const& editor);

/// True if a token with the limit `after` may be used more often than one with the limit `before`: it has a larger
/// number or a shorter window. `base` is the limit of a token without one of its own.
bool widens(std::optional<window_limit> const& before, std::optional<window_limit> const& after, window_limit base);
/// True if `after` allows an address that `before` does not allow. Without a list every address is allowed.
bool widens(std::optional<std::vector<std::string>> const& before,
            std::optional<std::vector<std::string>> const& after);

/// Fails like `check_access`, with disabled_by_administrator, or with permission_denied if the token may not be
/// enabled again, or if it would be empowered by a person who is not its owner and whose role is less than `owner`,
/// the owner's role now.
result<token_plan> plan_edit(stored_token const& token, role owner, token_edit const& edit,
                             token_editor const& editor);

}  // namespace svc::store
