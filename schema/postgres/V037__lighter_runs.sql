-- What each run costs, and need not.
SET LOCAL lock_timeout = '500ms';

-- Whether the run printed nothing, told with its result: it has no row in `run_output` then, because what one would hold
-- follows from the status.
ALTER TABLE run_results ADD COLUMN silent boolean;

-- Each statement that writes the queue reads its constraints anew. The contract bounds the keys, and counters that only
-- grow are never negative.
ALTER TABLE run_queue DROP CONSTRAINT run_queue_attempt_check, DROP CONSTRAINT run_queue_lost_claims_check,
  DROP CONSTRAINT run_queue_dedup_key_check;

-- A key's run is as old as the key, and the ids of runs are in the order of time: the index by run finds the old ones.
DROP INDEX idempotency_keys_by_age;

-- A trigger tries the lock of its job's limit, and holds it until COMMIT, instead of one of the job's row, which wrote to
-- the row. So a deletion waits for the runs that are being made, and none is made behind it, whatever version deletes.
CREATE FUNCTION end_triggers_of_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('limit ' || NEW.id, 0));
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_end_triggers BEFORE UPDATE OF deleted_at ON jobs
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION end_triggers_of_job();
