-- compatible from V041
-- Rows that grew without end: runners that are gone, and the audit rows of triggers and executions.
SET LOCAL lock_timeout = '500ms';

-- A runner that comes back registers again.
GRANT DELETE ON runners TO svc_service;

-- Deletes up to so many audit rows of a project's triggers and executions that are older than this, the oldest first,
-- and returns how many they were. All other changes of state stay until the owner drops their partition. Runs as the
-- owner, because the service may delete no row of the log; so the service cannot delete a young one.
CREATE FUNCTION delete_trigger_audits(project uuid, older_than timestamptz, at_most bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  before uuid := first_id_at(older_than);
  gone bigint;
  more bigint;
BEGIN
  IF older_than > statement_timestamp() - interval '1 day' THEN
    RAISE EXCEPTION 'audit rows of triggers that are less than a day old are not deleted: %', older_than;
  END IF;
  -- Each kind has an index of its own that begins with the project.
  DELETE FROM audit_log a
   WHERE a.project_id = project AND a.action = 'job.triggered' AND a.id < before AND a.id = ANY (ARRAY(
    SELECT o.id FROM audit_log o WHERE o.project_id = project AND o.action = 'job.triggered' AND o.id < before
     ORDER BY o.id LIMIT at_most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS gone = ROW_COUNT;
  DELETE FROM audit_log a
   WHERE a.project_id = project AND a.action = 'test.executed' AND a.action <> 'job.triggered' AND a.id < before
     AND a.id = ANY (ARRAY(
    SELECT o.id FROM audit_log o WHERE o.project_id = project AND o.action = 'test.executed'
       AND o.action <> 'job.triggered' AND o.id < before
     ORDER BY o.id LIMIT at_most - gone FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS more = ROW_COUNT;
  RETURN gone + more;
END $$;
REVOKE EXECUTE ON FUNCTION delete_trigger_audits FROM public;
GRANT EXECUTE ON FUNCTION delete_trigger_audits TO svc_service;
