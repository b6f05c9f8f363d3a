-- Moves what waits or runs to the queue, makes the table of runs the first partition of the history, and that of their
-- output the first one of its own. A moment, because nothing that has ended is copied or read.
DO $$
BEGIN
  -- All others wait while this waits, so it gives up soon and tries again.
  SET LOCAL lock_timeout = '500ms';
  FOR attempt IN 1..60 LOOP
    BEGIN
      LOCK TABLE runs, run_output, idempotency_keys IN ACCESS EXCLUSIVE MODE;
      RETURN;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      PERFORM pg_sleep(1);
    END;
  END LOOP;
  RAISE EXCEPTION 'somebody has held the tables of runs for a minute: see pg_stat_activity, then migrate again';
END $$;

INSERT INTO run_queue (run_id, project_id, job_id, job_type, trigger, status, limited, dedup_key, timeout_seconds,
                       attempt, lost_claims, claim_id, runner_id, lease_until, queued_at, started_at,
                       cancel_requested_at, version, updated_at)
SELECT id, project_id, job_id, job_type, trigger, status, limited, dedup_key, timeout_seconds, attempt, lost_claims,
       claim_id, executor_id, CASE status WHEN 'running' THEN lease_until END, queued_at, started_at,
       cancel_requested_at, version, updated_at
  FROM runs WHERE completed_at IS NULL;

DELETE FROM run_results WHERE run_id IN (SELECT run_id FROM runs_deleted_meanwhile);
DROP TRIGGER runs_followed ON runs;
DROP TRIGGER runs_deletion_followed ON runs;
DROP FUNCTION follow_run;
DROP TABLE runs_deleted_meanwhile;

-- A run is deleted by `delete_runs`, which knows all that belongs to it.
DROP TRIGGER runs_keys_kept ON runs;
DROP FUNCTION keep_keys_of_run;
DROP TRIGGER runs_marked ON runs;
DROP FUNCTION mark_limited_run;
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_run_id_fkey;
ALTER TABLE run_output DROP CONSTRAINT run_output_run_id_fkey;
ALTER TABLE runs DROP CONSTRAINT runs_job_exists, DROP CONSTRAINT runs_project_id_fkey,
  DROP CONSTRAINT runs_token_id_fkey;

-- Their indexes go with the columns.
ALTER TABLE runs
  DROP COLUMN status, DROP COLUMN timeout_seconds, DROP COLUMN attempt, DROP COLUMN claim_id, DROP COLUMN lease_until,
  DROP COLUMN queued_at, DROP COLUMN started_at, DROP COLUMN completed_at, DROP COLUMN error_details,
  DROP COLUMN report_url, DROP COLUMN version, DROP COLUMN updated_at, DROP COLUMN dedup_key, DROP COLUMN executor_id,
  DROP COLUMN cancel_requested_at, DROP COLUMN lost_claims, DROP COLUMN limited;
DROP INDEX runs_newest, runs_by_trigger;
ALTER TABLE runs RENAME TO run_history_before;
ALTER INDEX runs_pkey RENAME TO run_history_before_pkey;
ALTER VIEW runs_of_0_1 RENAME TO runs;

-- The output of ended runs, by the time of their ids as well.
ALTER TABLE run_output RENAME TO run_output_before;
ALTER INDEX run_output_pkey RENAME TO run_output_before_pkey;
ALTER INDEX run_output_to_move RENAME TO run_output_before_to_move;
ALTER INDEX run_output_oldest RENAME TO run_output_before_oldest;
DROP TRIGGER run_output_stored ON run_output_before;
DROP TRIGGER run_output_changed ON run_output_before;
DROP TRIGGER run_output_returned ON run_output_before;
CREATE TABLE run_output (LIKE run_output_before INCLUDING DEFAULTS INCLUDING STORAGE,
  CONSTRAINT run_output_pkey PRIMARY KEY (run_id),
  CONSTRAINT run_output_size_check CHECK (size >= 0),
  CONSTRAINT run_output_lines_check CHECK (lines >= 0),
  CONSTRAINT run_output_whole CHECK ((stored_at IS NULL) = (size IS NULL) AND (stored_at IS NULL) = (lines IS NULL)
                                     AND (content IS NULL) = (stored_at IS NULL OR dropped_at IS NOT NULL))
) PARTITION BY RANGE (run_id);
CREATE INDEX run_output_to_move ON run_output (ended_at) WHERE stored_at IS NULL;
CREATE INDEX run_output_oldest ON run_output (project_id, ended_at, run_id) WHERE content IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON run_output TO svc_service;

DO $$
DECLARE
  part record;
BEGIN
  FOR part IN SELECT name, parent, to_time FROM time_partitions WHERE parent IN ('run_history', 'run_output') LOOP
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part.parent, part.name,
                   first_id_at('-infinity'), first_id_at(part.to_time));
  END LOOP;
  FOR part IN SELECT DISTINCT parent, to_time FROM time_partitions WHERE parent LIKE 'run\_%' LOOP
    PERFORM add_partitions(part.parent, interval '14 days', part.to_time + interval '14 days');
  END LOOP;
END $$;
-- A new installation has no instance of 0.1 that would use it; elsewhere it ends with its partition.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM run_results_before) THEN
    DROP INDEX run_results_before_started;
  END IF;
END $$;
ALTER TABLE run_history_before DROP CONSTRAINT runs_before;
ALTER TABLE run_output_before DROP CONSTRAINT run_output_before;

-- `octet_length` of a column that lies out of line and uncompressed reads its header only.
CREATE OR REPLACE FUNCTION count_run_output() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change bigint := 0;
BEGIN
  IF TG_OP <> 'DELETE' THEN
    IF NEW.content IS NOT NULL AND NEW.project_id IS NULL THEN
      SELECT r.project_id INTO NEW.project_id FROM run_results r WHERE r.run_id = NEW.run_id;
    END IF;
    change := coalesce(octet_length(NEW.content), 0);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    change := change - coalesce(octet_length(OLD.content), 0);
  END IF;
  IF change <> 0 THEN
    INSERT INTO output_changes (project_id, bytes)
    VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.project_id ELSE NEW.project_id END, change);
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER run_output_stored BEFORE INSERT ON run_output
  FOR EACH ROW WHEN (NEW.content IS NOT NULL) EXECUTE FUNCTION count_run_output();
CREATE TRIGGER run_output_changed BEFORE UPDATE OF content ON run_output
  FOR EACH ROW EXECUTE FUNCTION count_run_output();
CREATE TRIGGER run_output_returned BEFORE DELETE ON run_output
  FOR EACH ROW WHEN (OLD.content IS NOT NULL AND OLD.project_id IS NOT NULL) EXECUTE FUNCTION count_run_output();

-- A job's limit marks its runs that are queued or running. The lock, which only a change of the job takes alone, keeps a
-- run from being made by an older idea of the job than the one that marked the runs which wait.
CREATE OR REPLACE FUNCTION mark_limited_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('limit ' || NEW.id, 0));
  UPDATE run_queue SET limited = NEW.max_concurrent_runs IS NOT NULL
   WHERE project_id = NEW.project_id AND job_id = NEW.id AND status IN ('queued', 'running');
  RETURN NULL;
END $$;

-- How many runs of a project are queued, none counted beyond `most`.
CREATE OR REPLACE FUNCTION queued_runs(project uuid, most bigint) RETURNS bigint LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN (SELECT count(*) FROM (
    SELECT FROM run_queue r WHERE r.project_id = project AND r.status = 'queued' AND NOT r.limited
    UNION ALL
    SELECT FROM run_queue r WHERE r.project_id = project AND r.status = 'queued' AND r.limited LIMIT most) few);
END $$;

-- Deletes runs with all that belongs to them. A retry of a deleted run's trigger is answered for 24 hours all the same;
-- a key that was kept already has had another run since.
CREATE FUNCTION delete_runs(gone uuid[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  deleted bigint;
BEGIN
  INSERT INTO orphaned_idempotency_keys (job_id, key, request_hash, run_id, job_name, job_type, status, test_count,
                                         triggered_by, queued_at, created_at)
  SELECT k.job_id, k.key, k.request_hash, h.id, h.job_name, h.job_type, coalesce(q.status, e.status), h.test_count,
         h.triggered_by, coalesce(q.queued_at, h.created_at), k.created_at
    FROM idempotency_keys k JOIN run_history h ON h.id = k.run_id
    LEFT JOIN run_queue q ON q.run_id = k.run_id LEFT JOIN run_results e ON e.run_id = k.run_id
   WHERE k.run_id = ANY (gone) AND k.created_at > statement_timestamp() - interval '24 hours'
  ON CONFLICT (job_id, key) DO UPDATE
     SET request_hash = excluded.request_hash, run_id = excluded.run_id, job_name = excluded.job_name,
         job_type = excluded.job_type, status = excluded.status, test_count = excluded.test_count,
         triggered_by = excluded.triggered_by, queued_at = excluded.queued_at, created_at = excluded.created_at;
  DELETE FROM idempotency_keys WHERE run_id = ANY (gone);
  DELETE FROM run_output WHERE run_id = ANY (gone);
  DELETE FROM run_results WHERE run_id = ANY (gone);
  DELETE FROM run_queue WHERE run_id = ANY (gone);
  DELETE FROM run_history WHERE id = ANY (gone);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END $$;
