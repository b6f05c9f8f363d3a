-- Who executes runs, and what a claim needs.

-- Credentials of executors: of a whole organisation, or of one project. Revoked ones stay, so that their secret is
-- known to be dead.
CREATE TABLE executor_tokens (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  project_id      uuid REFERENCES projects,            -- NULL: all projects of the organisation
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  start           text NOT NULL CHECK (length(start) BETWEEN 1 AND 32),
  digest          bytea NOT NULL CONSTRAINT executor_tokens_digest_unique UNIQUE CHECK (octet_length(digest) = 32),
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  revoked_at      timestamptz
);
CREATE UNIQUE INDEX executor_tokens_name_unique ON executor_tokens (organization_id, name) WHERE revoked_at IS NULL;

-- An executor that comes back under its name is the same one, so that restarts leave no rows behind.
CREATE TABLE executors (
  id            uuid PRIMARY KEY,
  token_id      uuid NOT NULL REFERENCES executor_tokens,
  name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  version       text NOT NULL,
  labels        text[] NOT NULL,
  slots         integer NOT NULL CHECK (slots > 0),
  registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_seen_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT executors_name_unique UNIQUE (token_id, name)
);

GRANT SELECT, INSERT, UPDATE ON executor_tokens, executors TO svc_service;

-- The claim id stays when a run has ended, so that a repeated `complete` is known. No foreign key to the executor:
-- each claim would lock its row.
ALTER TABLE runs
  ADD COLUMN executor_id uuid,
  ADD COLUMN cancel_requested_at timestamptz,
  ADD COLUMN lost_claims integer NOT NULL DEFAULT 0 CHECK (lost_claims >= 0),
  ADD COLUMN limited boolean NOT NULL DEFAULT false,  -- its job has `max_concurrent_runs`
  DROP CONSTRAINT runs_claim_complete,
  ADD CONSTRAINT runs_claim_complete CHECK (lease_until IS NULL OR claim_id IS NOT NULL);

-- Two queues: that of limited jobs is read job by job, so that thousands of runs that must wait cost the others nothing.
DROP INDEX runs_to_claim;
CREATE INDEX runs_to_claim ON runs (project_id, job_type, queued_at, id) WHERE status = 'queued' AND NOT limited;
CREATE INDEX runs_to_claim_limited ON runs (job_id, queued_at, id) WHERE status = 'queued' AND limited;
CREATE INDEX jobs_limited ON jobs (project_id) WHERE max_concurrent_runs IS NOT NULL;
-- Not by `lease_until`: a heartbeat that changes no indexed column costs one row and no index. Read whole by the
-- reaper, by job when running runs are counted.
DROP INDEX runs_to_reap;
CREATE INDEX runs_running ON runs (job_id, id) WHERE status = 'running';
-- Each run is updated three times at least; dead entries at the head of a queue's index slow every claim.
ALTER TABLE runs SET (autovacuum_vacuum_scale_factor = 0.01);

-- `limited` is the job's, whoever makes the run. The lock, which only a change of the job takes alone, keeps a run
-- from being made by an older idea of the job than the one that marked the runs which wait.
CREATE FUNCTION mark_limited_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('limit ' || NEW.job_id, 0));
  NEW.limited := coalesce((SELECT j.max_concurrent_runs IS NOT NULL FROM jobs j WHERE j.id = NEW.job_id), false);
  RETURN NEW;
END $$;
CREATE TRIGGER runs_marked BEFORE INSERT ON runs
  FOR EACH ROW WHEN (NEW.job_id IS NOT NULL) EXECUTE FUNCTION mark_limited_run();

CREATE FUNCTION mark_limited_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('limit ' || NEW.id, 0));
  UPDATE runs SET limited = NEW.max_concurrent_runs IS NOT NULL
   WHERE job_id = NEW.id AND status IN ('queued', 'running');
  RETURN NULL;
END $$;
CREATE TRIGGER jobs_mark_runs AFTER UPDATE OF max_concurrent_runs ON jobs
  FOR EACH ROW WHEN ((OLD.max_concurrent_runs IS NULL) <> (NEW.max_concurrent_runs IS NULL))
  EXECUTE FUNCTION mark_limited_runs();
