#pragma once

#include "svc/core/result.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/runner_store.hpp"

// What every statement of a runner begins with, so that a revocation holds from its COMMIT on.

/// $1 is the secret's digest.
#define SVC_RUNNER_AUTH \
  "auth AS (SELECT id, organization_id, project_id FROM executor_tokens WHERE digest = $1 AND revoked_at IS NULL)"
/// Whether a row of `projects p` is in the scope of `auth`.
#define SVC_IN_SCOPE \
  " p.organization_id = auth.organization_id AND (auth.project_id IS NULL OR auth.project_id = p.id) "
/// The run $2 under its claim $3; joins `runs r`, `projects p` and `auth`.
#define SVC_FENCED " r.id = $2 AND r.claim_id = $3 AND r.status = 'running' AND p.id = r.project_id AND" SVC_IN_SCOPE
/// First column of each answer: null, `live` or `revoked`.
#define SVC_TOKEN_STATE \
  " (SELECT CASE WHEN revoked_at IS NULL THEN 'live' ELSE 'revoked' END FROM executor_tokens WHERE digest = $1) "

namespace svc::store {

/// Why the token is not good; nothing when it is.
std::optional<errc> runner_refusal(postgres::row r);

/// Columns: the token's state; id, attempt, status, organization_id, project_id, job_type and limited of what was
/// freed; whether the same was done before; whether the claim holds, as far as this snapshot knows. Nothing: another
/// transaction is changing the run; to be asked again.
std::optional<result<freed_run>> read_freed(postgres::row r);

}  // namespace svc::store
