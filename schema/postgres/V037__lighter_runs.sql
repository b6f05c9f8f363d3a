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
