#include "svc/access/gate.hpp"

#include <algorithm>

namespace svc::access {
namespace {

std::optional<errc> refusal_of_state(token_state state) {
  switch (state) {
    case token_state::usable:
      return std::nullopt;
    case token_state::disabled:
      return errc::token_disabled;
    case token_state::revoked:
      return errc::token_revoked;
    case token_state::secret_rotated:
      return errc::secret_rotated;
    case token_state::owner_removed:
      return errc::owner_removed;
    case token_state::owner_disabled:
      return errc::owner_disabled;
    case token_state::owner_without_role:
      return errc::owner_without_role;
    case token_state::project_archived:
      return errc::project_archived;
    case token_state::session_ended:
      return errc::session_ended;
    case token_state::session_expired:
      return errc::session_expired;
    case token_state::session_rotated:
      return errc::session_rotated;
    case token_state::project_not_found:
      return errc::project_not_found;
    case token_state::organization_not_found:
      return errc::not_found;
    case token_state::policy_not_met:
      return errc::policy_not_met;
  }
  return errc::invalid_token;
}

/// No bearer token is good for an operation that takes sessions only. A trigger key is good for triggering its own
/// job and for nothing else.
std::optional<errc> refusal_of_use(principal const& caller, http::route const& route) {
  if (caller.session) return std::nullopt;
  if (route.found != nullptr && route.found->only_session) return errc::wrong_token_kind;
  if (!is_trigger_key(caller.kind)) return std::nullopt;
  // 401 would blame the key, but the path is wrong, and the refusal after the gate says so.
  if (route.unreadable) return std::nullopt;
  if (route.found == nullptr) return errc::wrong_token_kind;
  auto const& kinds = route.found->token_kinds;
  if (std::find(kinds.begin(), kinds.end(), "trigger") == kinds.end()) return errc::wrong_token_kind;
  auto const id = std::find_if(route.path.begin(), route.path.end(), [](auto const& p) { return p.first == "id"; });
  if (id == route.path.end() || uuid::parse(id->second) != caller.job_id) return errc::wrong_job;
  return std::nullopt;
}

}  // namespace

std::optional<errc> refusal_of(token_record const& record, http::route const& route, timestamp now) {
  if (auto const refused = refusal_of_state(record.state)) return refused;
  if (record.valid_until && *record.valid_until <= now) return errc::secret_rotated;
  if (record.caller.expires_at && *record.caller.expires_at <= now)
    return record.caller.session ? errc::session_expired : errc::token_expired;
  return refusal_of_use(record.caller, route);
}

}  // namespace svc::access
