-- A test can be run by itself. Retries of that are kept under the test's id, so `job_id` is a job's or a test's; a key
-- whose job or test is gone is deleted with the others of its age.
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_job_id_fkey;
COMMENT ON COLUMN idempotency_keys.job_id IS 'the job that is triggered, or the test that is run by itself';
