#pragma once

#include "svc/store/token_store.hpp"

#include <string>

namespace svc::store {

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

/// not_found for a tombstone, permission_denied for another's token, precondition_failed; nothing: go on.
result<> check_access(stored_token const& token, token_editor const& by);

/// By which right the editor writes to this token: any role will do for what everybody may do to the own one, only
/// those of administrators for what `as_administrator` does.
audit_actor writer_of(stored_token const& token, token_editor const& by, bool as_administrator = false);

/// Also disabled_by_administrator, and permission_denied when it may never be enabled again.
result<token_plan> plan_edit(stored_token const& token, token_edit const& edit, token_editor const& by);

}  // namespace svc::store
