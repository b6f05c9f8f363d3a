#pragma once

#include "store/sql/sql_text.hpp"
#include "store/tokens/token_rotation.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/tokens/token_store.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Shared parts of the statements on tokens. $1 is the project, $2 the job (NULL for CLI tokens), $3 a token.

namespace svc::store {

// The columns that `read_token_row` reads, from `tokens t` and the tables joined to it.
inline constexpr auto token_columns = sql(
    "t.id, t.kind, t.project_id, p.organization_id, t.job_id, t.owner_id, o.name, t.created_by, c.name, t.name, "
    "t.start, t.enabled, t.disabled_by, t.owner_left_at IS NOT NULL, "
    "t.revoked_at IS NOT NULL OR j.deleted_at IS NOT NULL, t.rate_limit, t.rate_window, t.expires_at, lu.used_at, "
    "lu.ip, t.version, t.created_at, t.updated_at, old.start, old.valid_until, "
    "t.allowed_cidrs");
inline constexpr auto token_tables =
    sql(" FROM tokens t JOIN projects p ON p.id = t.project_id JOIN users o ON o.id = t.owner_id"
        " JOIN users c ON c.id = t.created_by LEFT JOIN jobs j ON j.id = t.job_id"
        " LEFT JOIN token_last_use lu ON lu.token_id = t.id"
        " LEFT JOIN LATERAL (SELECT s.start, s.valid_until FROM token_secrets s WHERE s.token_id = t.id"
        " AND s.state IN ('current', 'previous') AND s.valid_until > statement_timestamp() LIMIT 1) old ON true ");
// Includes tombstones, so that a request for a revoked token gets the epoch of its revocation.
inline constexpr auto is_token = sql(" t.id = $3 AND t.project_id = $1 AND t.job_id IS NOT DISTINCT FROM $2 ");
// Each condition has its own partial index.
inline constexpr auto is_token_of_project =
    sql(" t.project_id = $1 AND t.job_id IS NULL AND $2::uuid IS NULL AND t.revoked_at IS NULL ");
inline constexpr auto is_key_of_job = sql(" t.project_id = $1 AND t.job_id = $2 AND t.revoked_at IS NULL ");

stored_token read_token_row(postgres::row const& r, int first = 0);

/// A token's own rate limit as the columns `rate_limit` and `rate_window`.
struct rate_columns {
  explicit rate_columns(std::optional<window_limit> const& rate) {
    if (rate) limit = rate->limit, seconds = rate->seconds;
  }
  std::optional<std::int64_t> limit{}, seconds{};
};

/// True if another unrevoked token of the project or job has the name.
bool names_clash(postgres::server_error const& failure);

/// Reads the epoch of the token's subject. A separate statement: after a wait for a lock the locked row is current,
/// but the rows joined to it come from the old snapshot.
postgres::query token_epoch_query(token_scope scope, uuid id);

/// The audit row of one token's change: action `cli_token.<verb>` or `trigger_key.<verb>`.
audit_entry token_audit(stored_token const& token, audit_actor const& actor, std::string_view verb,
                        std::string details);

/// A token that is locked until the end of the transaction. Its subject's epoch, its secrets, its owner's role and
/// the time are also read under the lock.
struct locked_token {
  std::optional<stored_token> token{};
  role owner_role = role::none;
  std::vector<subject_epoch> epochs{};
  std::vector<live_secret> secrets{};
  timestamp now{};
};

/// Takes one round trip.
task<locked_token> lock_token(postgres::unit_of_work& tx, token_scope scope, uuid id);

}  // namespace svc::store
