-- What the peer needs: a plain schema of its own, so that the peer stays the same when the service's schema changes.
-- The columns of runs and of the audit trail are those that the service writes at a trigger.

CREATE TABLE credentials (
  digest          bytea PRIMARY KEY,
  id              uuid NOT NULL,
  kind            text NOT NULL,
  name            text NOT NULL,
  owner_id        uuid NOT NULL,
  owner_name      text NOT NULL,
  role            text NOT NULL,
  project_id      uuid NOT NULL,
  organization_id uuid NOT NULL,
  job_id          uuid,
  subject         uuid NOT NULL,
  epoch           bigint NOT NULL
);

CREATE TABLE tests (
  id          uuid PRIMARY KEY,
  project_id  uuid NOT NULL,
  title       text NOT NULL,
  description text,
  type        text NOT NULL,
  priority    text NOT NULL,
  version     bigint NOT NULL,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL
);

-- The tests are in the job's row, so that no statement joins them.
CREATE TABLE jobs (
  id              uuid PRIMARY KEY,
  project_id      uuid NOT NULL,
  name            text NOT NULL,
  job_type        text NOT NULL,
  enabled         boolean NOT NULL,
  timeout_seconds integer NOT NULL,
  tests           jsonb NOT NULL,
  created_by      uuid NOT NULL,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL
);
CREATE INDEX jobs_newest ON jobs (project_id, created_at DESC, id DESC);

CREATE TABLE runs (
  id              uuid PRIMARY KEY,
  project_id      uuid NOT NULL,
  job_id          uuid NOT NULL REFERENCES jobs,
  job_name        text NOT NULL,
  job_type        text NOT NULL,
  status          text NOT NULL,
  trigger         text NOT NULL,
  triggered_by    text NOT NULL,
  token_id        uuid NOT NULL,
  parameters      jsonb NOT NULL,
  tests           jsonb NOT NULL,
  test_count      integer NOT NULL,
  timeout_seconds integer NOT NULL,
  queued_at       timestamptz NOT NULL,
  started_at      timestamptz,
  completed_at    timestamptz,
  error_details   text
);
CREATE INDEX runs_newest ON runs (project_id, queued_at DESC);
CREATE INDEX runs_of_job ON runs (job_id, queued_at DESC);
CREATE INDEX runs_to_claim ON runs (queued_at) WHERE status = 'queued';

CREATE TABLE audit_log (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  project_id      uuid NOT NULL,
  action          text NOT NULL,
  actor_id        uuid NOT NULL,
  actor_name      text NOT NULL,
  actor_token_id  uuid NOT NULL,
  resource        text NOT NULL,
  resource_id     uuid NOT NULL,
  ip              text,
  user_agent      text,
  request_id      text,
  details         jsonb NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX audit_log_by_project ON audit_log (project_id, created_at DESC);

CREATE TABLE idempotency_keys (
  job_id       uuid NOT NULL,
  key          text NOT NULL,
  request_hash text NOT NULL,
  run_id       uuid NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (job_id, key)
);
