#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/runners/runner_store.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Every statement for a runner checks its token with these parts, so that a revocation takes effect with its COMMIT.

namespace svc::store {

/// $1 is the digest of the token's secret.
inline constexpr auto runner_auth = sql(
    "auth AS (SELECT id, organization_id, project_id FROM runner_tokens WHERE digest = $1 AND revoked_at IS NULL)");
/// True if a row of `projects p` is in the scope of `auth`.
inline constexpr auto is_in_scope =
    sql(" p.organization_id = auth.organization_id AND (auth.project_id IS NULL OR auth.project_id = p.id) ");
// Statements about several runs find them in the queue by its primary key, whatever the planner has seen. A plan that
// was made while the queue was short, and is kept, reads the whole queue if a statement lets it. With the status in
// the condition it scans a partial index; before a join it scans the whole key. Two forms leave no choice. One is a
// sub-select with a LIMIT for each row (`CROSS JOIN LATERAL`). The other, for changes of rows, is `run_id = ANY
// (ARRAY(...))` without a join. Conditions use the claim or the lease instead of the status.

/// The run $2 under its claim $3, which it holds while it has a lease. Joins `run_queue q`, `projects p` and `auth`.
inline constexpr auto is_fenced =
    sql(" q.run_id = $2 AND q.claim_id = $3 AND q.lease_until IS NOT NULL AND p.id = q.project_id AND", is_in_scope);
/// True if the time at which a runner was last seen is written again: it has to be known to the minute only.
inline constexpr auto seen_before = sql("last_seen_at < clock_timestamp() - interval '10 seconds'");
/// The first column of each result: null (unknown token), `live` or `revoked`.
inline constexpr auto runner_token_state = sql(
    " (SELECT CASE WHEN revoked_at IS NULL THEN 'live' ELSE 'revoked' END FROM runner_tokens WHERE digest = $1) ");

/// The version that distinguishes a script of `tests t` from all others of the same test. It contains the time,
/// because a restored database counts the same versions again.
inline constexpr auto script_version =
    sql(" t.version || '.' || (date_part('epoch', t.updated_at) * 1000000)::bigint ");

/// The most bytes of parameters, scripts and variables in a response, before conversion to JSON. One run, or one
/// script, always fits.
inline constexpr std::int64_t most_bytes_given = 8LL * 1024 * 1024;

/// Returns the error if the token is refused; empty if the token is valid.
std::optional<errc> runner_refusal(postgres::row r);

/// The audit row of a runner token, whoever creates or revokes it; `name` is the token's.
postgres::query runner_audit_query(audit_actor actor, std::string action, uuid id, uuid organization,
                                   std::optional<uuid> project, std::string_view name);

/// A runner's request to free a run, which it holds or held, with this status.
struct freeing {
  sha256_digest secret;
  uuid run, claim;
  std::string status;
};

/// Returns the verdict on each claim whose run was not freed, in order. Empty: another transaction is changing the
/// run, so the caller must ask again.
task<std::vector<std::optional<result<freed_run>>>> unfreed(postgres::pool& db, std::vector<freeing> freeings,
                                                            deadline until);

/// Columns: the token's state; id, attempt, status, organization_id, project_id, job_type and limited of the freed
/// run. Empty: none was freed.
std::optional<result<freed_run>> read_freed(postgres::row r);

}  // namespace svc::store
