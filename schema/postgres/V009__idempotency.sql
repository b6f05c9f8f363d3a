-- Retries of a trigger: which run a key stands for, kept 24 hours, written in the run's own transaction. An older
-- row counts as none; it is replaced by the next use of its key or deleted.

CREATE TABLE idempotency_keys (
  job_id       uuid NOT NULL REFERENCES jobs,
  key          text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  request_hash text NOT NULL CHECK (length(request_hash) = 64),
  run_id       uuid NOT NULL REFERENCES runs ON DELETE CASCADE,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (job_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_of_run ON idempotency_keys (run_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO svc_service;

-- A trigger joins a run that waits under the same key with the same parameters. That there is never a second one is
-- kept by an advisory lock of the trigger, not by this index: a run whose executor died is queued again beside others.
ALTER TABLE runs ADD COLUMN dedup_key text CHECK (length(dedup_key) BETWEEN 1 AND 255);
CREATE INDEX runs_to_join ON runs (job_id, dedup_key, queued_at, id)
  WHERE status = 'queued' AND claim_id IS NULL AND dedup_key IS NOT NULL;

-- As `assert_writer`, but with the code of the refusal as its value: a batch of triggers goes on without the row.
-- For a writer whose subject has another epoch than the one that was admitted; NULL when it may write all the same.
CREATE FUNCTION late_writer_refusal(writer uuid, roles text[], secret bytea) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN why IS DISTINCT FROM 'token_revoked' AND EXISTS (
                     SELECT FROM token_secrets s
                      WHERE s.digest = secret AND (s.state = 'dead' OR s.valid_until <= clock_timestamp()))
              THEN 'secret_rotated' ELSE why END
    FROM (SELECT writer_refusal(writer, roles) AS why) standing
$$;
