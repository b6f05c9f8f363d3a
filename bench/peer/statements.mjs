// The prepared statements of the peer; pg prepares each once a connection, by its name.

export const credential = {
  name: 'credential',
  text: `SELECT id, kind, name, owner_id, owner_name, role, project_id, organization_id, job_id, subject,
                epoch::text FROM credentials WHERE digest = $1`,
};

export const oneTest = {
  name: 'one_test',
  text: `SELECT id, title, description, type, priority, version, created_at, updated_at
           FROM tests WHERE project_id = $1 AND id = $2`,
};

export const jobsOfProject = {
  name: 'jobs_of_project',
  text: `SELECT j.*, count(*) OVER () AS total, r.id AS run_id, r.status AS run_status, r.queued_at AS run_queued_at,
                r.started_at AS run_started_at, r.completed_at AS run_completed_at
           FROM jobs j LEFT JOIN LATERAL (
             SELECT * FROM runs n WHERE n.job_id = j.id ORDER BY n.queued_at DESC LIMIT 1) r ON true
          WHERE j.project_id = $1 ORDER BY j.created_at DESC, j.id DESC LIMIT 20`,
};

export const runStatus = {
  name: 'run_status',
  text: `SELECT id, job_id, status, started_at, completed_at, error_details
           FROM runs WHERE project_id = $1 AND id = $2`,
};

const insertRun = (condition) => `
  made AS (
    INSERT INTO runs (id, project_id, job_id, job_name, job_type, status, trigger, triggered_by, token_id, parameters,
                      tests, test_count, timeout_seconds, queued_at)
    SELECT $1, project_id, id, name, job_type, 'queued', 'remote', $4, $5, '{}', tests, jsonb_array_length(tests),
           timeout_seconds, clock_timestamp()
      FROM jobs WHERE project_id = $2 AND id = $3 AND enabled ${condition}
    RETURNING id, job_name, test_count, queued_at
  ), audited AS (
    INSERT INTO audit_log (id, organization_id, project_id, action, actor_id, actor_name, actor_token_id, resource,
                           resource_id, ip, user_agent, request_id, details)
    SELECT $6, $7, $2, 'job.triggered', $8, $9, $5, 'job', $3, $10, $11, $12, jsonb_build_object('run', $1::uuid)
      FROM made
  )
  SELECT job_name, test_count, queued_at FROM made`;

export const trigger = {name: 'trigger', text: `WITH ${insertRun('')}`};

// No row: the key is used, and `keptRun` tells for what.
export const keyedTrigger = {
  name: 'keyed_trigger',
  text: `WITH kept AS (
    INSERT INTO idempotency_keys (job_id, key, request_hash, run_id) VALUES ($3, $13, $14, $1)
    ON CONFLICT (job_id, key) DO NOTHING RETURNING run_id
  ), ${insertRun('AND EXISTS (SELECT FROM kept)')}`,
};

export const keptRun = {
  name: 'kept_run',
  text: `SELECT r.id, r.job_name, r.test_count, r.queued_at, k.request_hash
           FROM idempotency_keys k JOIN runs r ON r.id = k.run_id WHERE k.job_id = $1 AND k.key = $2`,
};
