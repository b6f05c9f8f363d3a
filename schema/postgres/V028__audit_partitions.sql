-- The log so far becomes the first partition of one by time. Nothing is read or copied: writers wait for a moment.
-- The previous version of the service goes on: the name, the columns and the grants are the same, and the indexes of its
-- lists stay where its rows are.
-- Shorter than `deadlock_timeout`, so that this gives up before a client's transaction is ended.
SET LOCAL lock_timeout = '500ms';
LOCK TABLE audit_log;

-- Rows of organizations and projects are never deleted, and a random id comes once: each of the three cost every
-- trigger a search.
ALTER TABLE audit_log
  DROP CONSTRAINT audit_log_pkey,
  DROP CONSTRAINT audit_log_organization_id_fkey,
  DROP CONSTRAINT audit_log_project_id_fkey;
ALTER TABLE audit_log RENAME TO audit_log_first;
REVOKE ALL ON audit_log_first FROM svc_service;

CREATE TABLE audit_log (
  id              uuid NOT NULL,       -- of the time when the row was made: the order of lists
  organization_id uuid,
  project_id      uuid,
  action          text NOT NULL CONSTRAINT audit_log_action_check CHECK (length(action) BETWEEN 1 AND 100),
  actor_id        uuid,                -- the user; NULL for the operator's command line
  actor_name      text NOT NULL,
  actor_token_id  uuid,
  resource        text NOT NULL,
  resource_id     uuid,
  ip              text,
  user_agent      text,
  request_id      text,
  details         jsonb NOT NULL DEFAULT '{}',
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
) PARTITION BY RANGE (id);
GRANT SELECT, INSERT ON audit_log TO svc_service;
CREATE INDEX audit_log_triggers ON audit_log (project_id, id) WHERE action = 'job.triggered';
CREATE INDEX audit_log_triggers_by_actor ON audit_log (project_id, actor_id, id) WHERE action = 'job.triggered';
CREATE INDEX audit_log_others ON audit_log (project_id, id) WHERE action <> 'job.triggered';
CREATE INDEX audit_log_others_by_action ON audit_log (project_id, action, id) WHERE action <> 'job.triggered';
CREATE INDEX audit_log_others_by_actor ON audit_log (project_id, actor_id, id) WHERE action <> 'job.triggered';
CREATE INDEX audit_log_others_by_both ON audit_log (project_id, actor_id, action, id) WHERE action <> 'job.triggered';
CREATE INDEX audit_log_without_project ON audit_log (organization_id, id) WHERE project_id IS NULL;

DO $$
DECLARE
  cutoff uuid := (SELECT first_id_at(to_time) FROM time_partitions WHERE name = 'audit_log_first');
BEGIN
  IF EXISTS (SELECT FROM audit_log_first) THEN
    EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION audit_log_first FOR VALUES FROM (MINVALUE) TO (%L)', cutoff);
    ALTER TABLE audit_log_first DROP CONSTRAINT audit_log_cutoff;
  ELSE
    -- A new database: without the indexes of before.
    DROP TABLE audit_log_first;
    EXECUTE format('CREATE TABLE audit_log_first PARTITION OF audit_log FOR VALUES FROM (MINVALUE) TO (%L)', cutoff);
  END IF;
END $$;
SELECT add_partitions('audit_log', interval '30 days', now() + interval '90 days');

-- Drops a partition whose time has passed, with its rows. Only for the tables' owner. It locks the whole table, so it gives
-- up after a second rather than let writers wait.
CREATE FUNCTION drop_partition(called text) RETURNS void LANGUAGE plpgsql
SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
BEGIN
  -- Rows that are being written, by a clock that is late, need their partition.
  DELETE FROM time_partitions p WHERE p.name = called AND p.to_time < now() - interval '1 day';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no partition that ended more than a day ago is named %', called;
  END IF;
  EXECUTE format('DROP TABLE %I', called);
EXCEPTION WHEN lock_not_available THEN
  RAISE EXCEPTION USING ERRCODE = 'object_in_use', MESSAGE = 'the table is in use, so nothing was dropped: try again';
END $$;
REVOKE EXECUTE ON FUNCTION drop_partition FROM public;
