-- compatible from V041
-- Revoked tokens, former secrets and deleted jobs are kept to recognise what is dead, but only so many of a project.
SET LOCAL lock_timeout = '500ms';

CREATE INDEX tokens_revoked ON tokens (project_id, revoked_at, id) WHERE revoked_at IS NOT NULL;
CREATE INDEX tokens_any_of_job ON tokens (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX jobs_deleted ON jobs (project_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

-- A rotation deletes the surplus of its token's dead secrets.
GRANT DELETE ON token_secrets TO svc_service;

-- Deletes these tokens with all that belongs to them. Their callers check that the tokens are dead.
CREATE FUNCTION delete_tokens(gone uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM token_last_use WHERE token_id = ANY (gone);
  DELETE FROM token_secrets WHERE token_id = ANY (gone);
  DELETE FROM tokens WHERE id = ANY (gone);
  DELETE FROM subjects s WHERE s.id = ANY (gone) AND NOT EXISTS (SELECT FROM users u WHERE u.id = s.id);
END $$;
REVOKE EXECUTE ON FUNCTION delete_tokens FROM public;

-- True if every instance knows of the revocation: a record is used for 33 s at most without asking the database, and
-- Redis has confirmed the epoch. Until then the token's row must say that it is dead.
CREATE FUNCTION is_settled(subject uuid, ended_at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT ended_at < statement_timestamp() - interval '10 minutes'
         AND NOT EXISTS (SELECT FROM subject_outbox o WHERE o.delivered_at IS NULL AND subject = ANY (o.ids))
$$;

-- Deletes up to so many of a project's revoked tokens beyond the number that is kept, the oldest first, and returns how
-- many they were. Runs as the owner, because the service may delete no token; so it can delete no live or young one.
CREATE FUNCTION delete_revoked_tokens(project uuid, kept bigint, at_most bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  edge_at timestamptz;
  edge uuid;
  gone uuid[];
BEGIN
  IF kept < 100 THEN
    RAISE EXCEPTION 'the newest hundred revoked tokens of a project are not deleted: %', kept;
  END IF;
  SELECT t.revoked_at, t.id INTO edge_at, edge FROM tokens t
   WHERE t.project_id = project AND t.revoked_at IS NOT NULL
   ORDER BY t.revoked_at DESC, t.id DESC OFFSET kept LIMIT 1;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  gone := ARRAY(
    SELECT t.id FROM tokens t
     WHERE t.project_id = project AND t.revoked_at IS NOT NULL AND (t.revoked_at, t.id) <= (edge_at, edge)
       AND is_settled(t.id, t.revoked_at)
     ORDER BY t.revoked_at, t.id LIMIT at_most FOR UPDATE SKIP LOCKED);
  PERFORM delete_tokens(gone);
  RETURN cardinality(gone);
END $$;
REVOKE EXECUTE ON FUNCTION delete_revoked_tokens FROM public;
GRANT EXECUTE ON FUNCTION delete_revoked_tokens TO svc_service;

-- The same of deleted jobs, with their keys, which were revoked with them. A job whose triggers may be repeated, or that
-- has a run in the queue, waits. Its ended runs have its name and stay.
CREATE FUNCTION delete_deleted_jobs(project uuid, kept bigint, at_most bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  edge_at timestamptz;
  edge uuid;
  gone uuid[];
BEGIN
  IF kept < 100 THEN
    RAISE EXCEPTION 'the newest hundred deleted jobs of a project are not deleted: %', kept;
  END IF;
  SELECT j.deleted_at, j.id INTO edge_at, edge FROM jobs j
   WHERE j.project_id = project AND j.deleted_at IS NOT NULL
   ORDER BY j.deleted_at DESC, j.id DESC OFFSET kept LIMIT 1;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  gone := ARRAY(
    SELECT j.id FROM jobs j
     WHERE j.project_id = project AND j.deleted_at IS NOT NULL AND (j.deleted_at, j.id) <= (edge_at, edge)
       AND j.deleted_at < statement_timestamp() - interval '10 minutes'
       AND NOT EXISTS (SELECT FROM tokens t WHERE t.job_id = j.id
                        AND (t.revoked_at IS NULL OR NOT is_settled(t.id, t.revoked_at)))
       AND NOT EXISTS (SELECT FROM idempotency_keys k WHERE k.job_id = j.id)
       AND NOT EXISTS (SELECT FROM run_queue q WHERE q.project_id = project AND q.job_id = j.id)
     ORDER BY j.deleted_at, j.id LIMIT at_most FOR UPDATE SKIP LOCKED);
  PERFORM delete_tokens(ARRAY(SELECT t.id FROM tokens t WHERE t.job_id = ANY (gone)));
  DELETE FROM job_tests WHERE job_id = ANY (gone);
  DELETE FROM jobs WHERE id = ANY (gone);
  RETURN cardinality(gone);
END $$;
REVOKE EXECUTE ON FUNCTION delete_deleted_jobs FROM public;
GRANT EXECUTE ON FUNCTION delete_deleted_jobs TO svc_service;
