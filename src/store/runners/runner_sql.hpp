#pragma once

#include "svc/core/result.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/runner_store.hpp"

// The parts with which every statement for a runner checks its token, so that a revocation takes effect with its
// COMMIT.

/// $1 is the digest of the token's secret.
#define SVC_RUNNER_AUTH \
  "auth AS (SELECT id, organization_id, project_id FROM executor_tokens WHERE digest = $1 AND revoked_at IS NULL)"
/// Whether a row of `projects p` is in the scope of `auth`.
#define SVC_IN_SCOPE \
  " p.organization_id = auth.organization_id AND (auth.project_id IS NULL OR auth.project_id = p.id) "
/// The run $2 under its claim $3; joins `runs r`, `projects p` and `auth`.
#define SVC_FENCED " r.id = $2 AND r.claim_id = $3 AND r.status = 'running' AND p.id = r.project_id AND" SVC_IN_SCOPE
/// The first column of each result: null (unknown token), `live` or `revoked`.
#define SVC_TOKEN_STATE \
  " (SELECT CASE WHEN revoked_at IS NULL THEN 'live' ELSE 'revoked' END FROM executor_tokens WHERE digest = $1) "

namespace svc::store {

/// Why the token is refused; empty if it is good.
std::optional<errc> runner_refusal(postgres::row r);

/// Columns: the token's state; id, attempt, status, organization_id, project_id, job_type and limited of the freed
/// run; whether an identical request freed it before; whether the claim holds in this snapshot. Empty: another
/// transaction is changing the run, so the caller must ask again.
std::optional<result<freed_run>> read_freed(postgres::row r);

}  // namespace svc::store
