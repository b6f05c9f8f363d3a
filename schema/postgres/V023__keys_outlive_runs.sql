-- A retry is answered for 24 hours, also when its run is deleted meanwhile. A table beside `idempotency_keys`, because
-- instances of the version before know a key's run to be there: they find no key, as ever, and make a new run.
CREATE TABLE orphaned_idempotency_keys (
  job_id       uuid NOT NULL,           -- the job, or the test that is run by itself
  key          text NOT NULL,
  request_hash text NOT NULL,
  run_id       uuid NOT NULL,           -- is no more
  job_name     text,
  job_type     text NOT NULL,
  status       text NOT NULL,           -- the run's last
  test_count   integer NOT NULL,
  triggered_by text NOT NULL,
  queued_at    timestamptz NOT NULL,
  created_at   timestamptz NOT NULL,    -- the key's own: it counts for 24 hours from here
  PRIMARY KEY (job_id, key)
);
CREATE INDEX orphaned_idempotency_keys_by_age ON orphaned_idempotency_keys (created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON orphaned_idempotency_keys TO svc_service;

-- Before the run goes, because its keys go with it; whoever deletes it. A key that was kept here already has had another
-- run since, made by an instance that did not know this table.
CREATE FUNCTION keep_keys_of_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO orphaned_idempotency_keys (job_id, key, request_hash, run_id, job_name, job_type, status, test_count,
                                         triggered_by, queued_at, created_at)
  SELECT k.job_id, k.key, k.request_hash, OLD.id, OLD.job_name, OLD.job_type, OLD.status, OLD.test_count,
         OLD.triggered_by, OLD.queued_at, k.created_at
    FROM idempotency_keys k
   WHERE k.run_id = OLD.id AND k.created_at > statement_timestamp() - interval '24 hours'
  ON CONFLICT (job_id, key) DO UPDATE
     SET request_hash = excluded.request_hash, run_id = excluded.run_id, job_name = excluded.job_name,
         job_type = excluded.job_type, status = excluded.status, test_count = excluded.test_count,
         triggered_by = excluded.triggered_by, queued_at = excluded.queued_at, created_at = excluded.created_at;
  RETURN OLD;
END $$;
CREATE TRIGGER runs_keys_kept BEFORE DELETE ON runs FOR EACH ROW EXECUTE FUNCTION keep_keys_of_run();
