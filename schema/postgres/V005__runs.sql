-- The queue of record and its history. A run is claimed by an executor under a lease and a random claim id.

CREATE TABLE runs (
  id              uuid PRIMARY KEY,
  project_id      uuid NOT NULL REFERENCES projects,
  job_id          uuid,
  job_name        text,
  test_id         uuid,
  job_type        text NOT NULL CHECK (job_type IN ('playwright', 'k6', 'command')),
  status          text NOT NULL DEFAULT 'queued'
                  CHECK (status IN ('queued', 'running', 'passed', 'failed', 'error', 'cancelled', 'timed_out')),
  trigger         text NOT NULL CHECK (trigger IN ('remote', 'manual', 'schedule')),
  triggered_by    text NOT NULL,
  token_id        uuid REFERENCES tokens,
  parameters      jsonb NOT NULL DEFAULT '{}',
  tests           jsonb NOT NULL DEFAULT '[]',   -- [{id, title, status, durationMs?, errorDetails?}] in order
  test_count      integer NOT NULL,
  timeout_seconds integer NOT NULL,
  attempt         integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),   -- claims so far
  claim_id        uuid,
  lease_until     timestamptz,
  queued_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at      timestamptz,
  completed_at    timestamptz,
  error_details   text,
  report_url      text,
  version         bigint NOT NULL DEFAULT 1,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT runs_job_exists FOREIGN KEY (project_id, job_id) REFERENCES jobs (project_id, id),
  CONSTRAINT runs_claim_complete CHECK ((claim_id IS NULL) = (lease_until IS NULL)),
  CONSTRAINT runs_end_has_time CHECK ((status IN ('queued', 'running')) = (completed_at IS NULL))
);
CREATE INDEX runs_newest ON runs (project_id, created_at DESC, id DESC);
CREATE INDEX runs_of_job ON runs (job_id, created_at DESC, id DESC);
CREATE INDEX runs_by_status ON runs (project_id, status, created_at DESC, id DESC);
CREATE INDEX runs_to_claim ON runs (queued_at, id) WHERE status = 'queued';
CREATE INDEX runs_to_reap ON runs (lease_until) WHERE status = 'running';

GRANT SELECT, INSERT, UPDATE, DELETE ON runs TO svc_service;
