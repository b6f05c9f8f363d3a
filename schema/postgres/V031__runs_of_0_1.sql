-- Runs as version 0.1 knows them, so that its instances serve beside newer ones while an operator upgrades. V032 gives it
-- the name of the table; it goes with the version after the next. The history is read by a function, because rows of a
-- join within a union are not found by an index when another table names them; its time, by which 0.1 sorts all ended
-- runs of a list, by a sub-select, which costs a tenth of that.
CREATE FUNCTION history_of_0_1(run uuid) RETURNS run_history LANGUAGE plpgsql STABLE AS $$
DECLARE
  found run_history;
BEGIN
  SELECT * INTO found FROM run_history h WHERE h.id = run;
  RETURN found;
END $$;
-- Nobody knows how many rows of a union have an id, so PostgreSQL would compile each result of 0.1, which takes 0.2 s.
-- It computes what is immutable while it plans, and only then looks at this setting, which sessions of 0.1 keep.
CREATE FUNCTION not_compiled_in_0_1() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  PERFORM set_config('jit', 'off', false);
  RETURN true;
END $$;
CREATE VIEW runs_of_0_1 AS
SELECT q.run_id AS id, q.project_id, q.job_id, (history_of_0_1(q.run_id)).job_name, (history_of_0_1(q.run_id)).test_id,
       q.job_type, q.status, q.trigger, (history_of_0_1(q.run_id)).triggered_by, (history_of_0_1(q.run_id)).token_id,
       (history_of_0_1(q.run_id)).parameters, (history_of_0_1(q.run_id)).tests, (history_of_0_1(q.run_id)).test_count,
       q.timeout_seconds, q.attempt, q.claim_id, q.lease_until, q.queued_at, q.started_at,
       NULL::timestamptz AS completed_at, NULL::text AS error_details, NULL::text AS report_url, q.version,
       (history_of_0_1(q.run_id)).created_at, q.updated_at, q.dedup_key, q.runner_id AS executor_id,
       q.cancel_requested_at, q.lost_claims, q.limited
  FROM run_queue q
UNION ALL
SELECT e.run_id, e.project_id, e.job_id, (history_of_0_1(e.run_id)).job_name, (history_of_0_1(e.run_id)).test_id,
       (history_of_0_1(e.run_id)).job_type, e.status, e.trigger, (history_of_0_1(e.run_id)).triggered_by,
       (history_of_0_1(e.run_id)).token_id, (history_of_0_1(e.run_id)).parameters,
       run_tests((history_of_0_1(e.run_id)).tests, e.reported, e.status), (history_of_0_1(e.run_id)).test_count, 3600,
       e.attempt, e.claim_id, NULL,
       (SELECT h.created_at FROM run_history h WHERE h.id = e.run_id AND not_compiled_in_0_1()), e.started_at,
       e.completed_at, e.error_details, e.report_url, e.version,
       (SELECT h.created_at FROM run_history h WHERE h.id = e.run_id AND not_compiled_in_0_1()), e.completed_at, NULL,
       e.runner_id, NULL, 0, false
  FROM run_results e;
ALTER VIEW runs_of_0_1
  ALTER COLUMN status SET DEFAULT 'queued', ALTER COLUMN parameters SET DEFAULT '{}',
  ALTER COLUMN tests SET DEFAULT '[]', ALTER COLUMN attempt SET DEFAULT 0, ALTER COLUMN queued_at SET DEFAULT clock_timestamp(),
  ALTER COLUMN version SET DEFAULT 1, ALTER COLUMN created_at SET DEFAULT clock_timestamp(),
  ALTER COLUMN updated_at SET DEFAULT clock_timestamp(), ALTER COLUMN lost_claims SET DEFAULT 0,
  ALTER COLUMN limited SET DEFAULT false;
GRANT SELECT, INSERT, UPDATE, DELETE ON runs_of_0_1 TO svc_service;

CREATE FUNCTION end_run_of_0_1(run runs_of_0_1) RETURNS void LANGUAGE sql AS $$
  INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, claim_id, runner_id, started_at,
                           completed_at, error_details, report_url, reported, version)
  VALUES (run.id, run.project_id, run.job_id, run.trigger, run.status, run.attempt, run.claim_id, run.executor_id,
          run.started_at, run.completed_at, run.error_details, run.report_url, run.tests::json, run.version)
$$;

CREATE FUNCTION insert_run_of_0_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO run_history (id, project_id, job_id, job_name, test_id, job_type, trigger, triggered_by, token_id,
                           parameters, tests, test_count, created_at)
  VALUES (NEW.id, NEW.project_id, NEW.job_id, NEW.job_name, NEW.test_id, NEW.job_type, NEW.trigger, NEW.triggered_by,
          NEW.token_id, NEW.parameters, NEW.tests, NEW.test_count, NEW.created_at);
  IF NEW.completed_at IS NOT NULL THEN
    PERFORM end_run_of_0_1(NEW);
    RETURN NEW;
  END IF;
  IF NEW.job_id IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('limit ' || NEW.job_id, 0));
    NEW.limited := coalesce((SELECT j.max_concurrent_runs IS NOT NULL FROM jobs j WHERE j.id = NEW.job_id), false);
  END IF;
  INSERT INTO run_queue (run_id, project_id, job_id, job_type, trigger, status, limited, dedup_key, timeout_seconds,
                         attempt, lost_claims, claim_id, runner_id, lease_until, queued_at, started_at,
                         cancel_requested_at, version, updated_at)
  VALUES (NEW.id, NEW.project_id, NEW.job_id, NEW.job_type, NEW.trigger, NEW.status, NEW.limited, NEW.dedup_key,
          NEW.timeout_seconds, NEW.attempt, NEW.lost_claims, NEW.claim_id, NEW.executor_id, NEW.lease_until,
          NEW.queued_at, NEW.started_at, NEW.cancel_requested_at, NEW.version, NEW.updated_at);
  RETURN NEW;
END $$;

-- FOR UPDATE locks no row of a view that is a union, so others may have changed the row since its reader saw it. While
-- the same claim holds the run, what they changed stays. A claim then takes another run, what comes too late from a
-- runner or the reaper changes nothing, and a cancellation that finds the run claimed asks its runner. The rest fails and
-- is tried again by its client.
CREATE FUNCTION update_run_of_0_1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  there run_queue;
BEGIN
  IF OLD.completed_at IS NOT NULL THEN
    UPDATE run_results SET status = NEW.status, completed_at = NEW.completed_at, started_at = NEW.started_at,
           error_details = NEW.error_details, report_url = NEW.report_url, version = NEW.version
     WHERE run_id = OLD.id;
    RETURN NEW;
  END IF;
  SELECT * INTO there FROM run_queue WHERE run_id = OLD.id FOR UPDATE SKIP LOCKED;
  IF NOT FOUND AND NEW.status = 'running' AND OLD.status = 'queued' THEN
    RETURN NULL;
  ELSIF NOT FOUND THEN
    SELECT * INTO there FROM run_queue WHERE run_id = OLD.id FOR UPDATE;
  END IF;
  IF there.status IS DISTINCT FROM OLD.status OR there.claim_id IS DISTINCT FROM OLD.claim_id
     OR (NEW.status = 'running' AND OLD.status = 'queued' AND there.version <> OLD.version) THEN
    IF OLD.status = 'queued' AND NEW.status = 'cancelled' AND there.status = 'running' THEN
      UPDATE run_queue
         SET cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp()), version = version + 1,
             updated_at = clock_timestamp()
       WHERE run_id = OLD.id;
    ELSIF (NEW.status = 'cancelled' AND OLD.status = 'queued')
          OR NEW.cancel_requested_at IS DISTINCT FROM OLD.cancel_requested_at THEN
      RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = 'the run was changed meanwhile';
    END IF;
    RETURN NULL;
  ELSIF NEW.claim_id IS NULL AND OLD.lease_until < statement_timestamp()
        AND there.lease_until >= statement_timestamp() THEN
    RETURN NULL;
  ELSIF NEW.status = 'queued' AND OLD.status = 'running'
        AND there.cancel_requested_at IS DISTINCT FROM OLD.cancel_requested_at THEN
    RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = 'the run was cancelled meanwhile';
  END IF;
  NEW.version := there.version + NEW.version - OLD.version;
  IF NEW.lease_until IS NOT DISTINCT FROM OLD.lease_until THEN
    NEW.lease_until := there.lease_until;
  END IF;
  IF NEW.cancel_requested_at IS NOT DISTINCT FROM OLD.cancel_requested_at THEN
    NEW.cancel_requested_at := there.cancel_requested_at;
  END IF;
  IF NEW.limited IS NOT DISTINCT FROM OLD.limited THEN
    NEW.limited := there.limited;
  END IF;
  IF NEW.completed_at IS NOT NULL THEN
    DELETE FROM run_queue WHERE run_id = OLD.id;
    PERFORM end_run_of_0_1(NEW);
    RETURN NEW;
  END IF;
  UPDATE run_queue
     SET status = NEW.status, limited = NEW.limited, attempt = NEW.attempt, lost_claims = NEW.lost_claims,
         claim_id = NEW.claim_id, runner_id = NEW.executor_id, lease_until = NEW.lease_until, queued_at = NEW.queued_at,
         started_at = NEW.started_at, cancel_requested_at = NEW.cancel_requested_at, version = NEW.version,
         updated_at = NEW.updated_at
   WHERE run_id = OLD.id;
  RETURN NEW;
END $$;

CREATE FUNCTION delete_run_of_0_1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM delete_runs(ARRAY[OLD.id]);
  RETURN OLD;
END $$;

CREATE TRIGGER runs_inserted INSTEAD OF INSERT ON runs_of_0_1 FOR EACH ROW EXECUTE FUNCTION insert_run_of_0_1();
CREATE TRIGGER runs_updated INSTEAD OF UPDATE ON runs_of_0_1 FOR EACH ROW EXECUTE FUNCTION update_run_of_0_1();
CREATE TRIGGER runs_deleted INSTEAD OF DELETE ON runs_of_0_1 FOR EACH ROW EXECUTE FUNCTION delete_run_of_0_1();
