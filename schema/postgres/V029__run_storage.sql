-- What waits or runs is in a narrow table, and what was triggered and how it ended in tables that are only appended to.
-- V029 to V032 move the runs there while the previous version serves: this one prepares, V030 copies what has ended, V031
-- has what the previous version needs, and V032 switches.

-- What was triggered. Written once.
CREATE TABLE run_history (
  id           uuid NOT NULL,
  project_id   uuid NOT NULL,
  job_id       uuid,
  job_name     text,
  test_id      uuid,
  job_type     text NOT NULL,
  trigger      text NOT NULL,
  triggered_by text NOT NULL,
  token_id     uuid,
  parameters   jsonb NOT NULL DEFAULT '{}',
  tests        jsonb NOT NULL DEFAULT '[]',   -- [{id, title, status}] in order, as they were planned
  test_count   integer NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT run_history_pkey PRIMARY KEY (id),
  CONSTRAINT runs_job_type_check CHECK (job_type IN ('playwright', 'k6', 'command')),
  CONSTRAINT runs_trigger_check CHECK (trigger IN ('remote', 'manual', 'schedule'))
) PARTITION BY RANGE (id);
CREATE INDEX run_history_newest ON run_history (project_id, trigger, id);
CREATE INDEX run_history_of_job ON run_history (job_id, id) INCLUDE (trigger);

-- How it ended. Written once.
CREATE TABLE run_results (
  run_id        uuid NOT NULL,
  project_id    uuid NOT NULL,
  job_id        uuid,
  trigger       text NOT NULL,
  status        text NOT NULL CHECK (status IN ('passed', 'failed', 'error', 'cancelled', 'timed_out')),
  attempt       integer NOT NULL,
  claim_id      uuid,        -- of the attempt that ended it, so that a repeated report is known
  runner_id     uuid,
  started_at    timestamptz,
  completed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  error_details text,
  report_url    text,
  reported      json,        -- [{id, status, durationMs?, errorDetails?}]; NULL: the history has the final ones
  version       bigint NOT NULL,
  PRIMARY KEY (run_id)
) PARTITION BY RANGE (run_id);
CREATE INDEX run_results_by_status ON run_results (project_id, status, trigger, run_id);
CREATE INDEX run_results_of_job ON run_results (job_id, status, run_id) INCLUDE (trigger);

-- The queue of record: a run is here from its trigger to its end. A runner holds it under a lease and a random claim id.
CREATE TABLE run_queue (
  run_id              uuid PRIMARY KEY,
  project_id          uuid NOT NULL,
  job_id              uuid,
  job_type            text NOT NULL,
  trigger             text NOT NULL,
  status              text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running')),
  limited             boolean NOT NULL DEFAULT false,   -- its job has `max_concurrent_runs`
  dedup_key           text CHECK (length(dedup_key) BETWEEN 1 AND 255),
  timeout_seconds     integer NOT NULL,
  attempt             integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),           -- claims so far
  lost_claims         integer NOT NULL DEFAULT 0 CHECK (lost_claims >= 0),
  claim_id            uuid,
  runner_id           uuid,
  lease_until         timestamptz,
  queued_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at          timestamptz,
  cancel_requested_at timestamptz,
  version             bigint NOT NULL DEFAULT 1,
  updated_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT run_queue_claim_complete CHECK (lease_until IS NULL OR (claim_id IS NOT NULL AND status = 'running'))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);
-- Two queues: that of limited jobs is read job by job, so that thousands of runs that must wait cost the others nothing.
CREATE INDEX run_queue_to_claim ON run_queue (project_id, job_type, queued_at, run_id)
  WHERE status = 'queued' AND NOT limited;
CREATE INDEX run_queue_to_claim_limited ON run_queue (project_id, job_id, queued_at, run_id)
  WHERE status = 'queued' AND limited;
CREATE INDEX run_queue_to_join ON run_queue (job_id, dedup_key) WHERE status = 'queued' AND dedup_key IS NOT NULL;
-- A heartbeat changes no indexed column. The reaper reads the first one whole.
CREATE INDEX run_queue_running ON run_queue (project_id, job_id) WHERE status = 'running';
CREATE INDEX run_queue_held ON run_queue (runner_id, project_id) WHERE runner_id IS NOT NULL;

-- When a project last had a run claimed, so that runners that projects share are fair to them. Whoever finds a row
-- locked leaves it as it is: another claim is writing the same time.
CREATE TABLE project_claims (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  claimed_at timestamptz
) WITH (fillfactor = 50);
INSERT INTO project_claims SELECT p.id, (SELECT r.started_at FROM runs r WHERE r.project_id = p.id
                                            AND r.started_at IS NOT NULL ORDER BY r.started_at DESC LIMIT 1)
  FROM projects p;
CREATE FUNCTION add_project_claims() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO project_claims (project_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER projects_claims_added AFTER INSERT ON projects FOR EACH ROW EXECUTE FUNCTION add_project_claims();

GRANT SELECT, INSERT, DELETE ON run_history TO svc_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON run_results TO svc_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON run_queue TO svc_service;
GRANT SELECT, UPDATE ON project_claims TO svc_service;

-- The tests of a run as they are: planned ones with what was reported of each. One that was not reached does not stay
-- queued when its run has ended.
CREATE FUNCTION run_tests(planned jsonb, reported json, status text) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN reported IS NULL THEN planned ELSE (
    SELECT coalesce(jsonb_agg(p.of || coalesce(
             (SELECT t.of::jsonb FROM json_array_elements(reported) t (of) WHERE t.of ->> 'id' = p.of ->> 'id' LIMIT 1),
             jsonb_build_object('status', CASE status WHEN 'cancelled' THEN status ELSE 'skipped' END))
                              ORDER BY p.place), '[]')
      FROM jsonb_array_elements(planned) WITH ORDINALITY p (of, place)) END
$$;

-- The table of today becomes the first partition of the history, and its ends are copied to that of the results. Until
-- the switch the previous version ends and deletes runs; these triggers take part.
DO $$
DECLARE
  cutoff CONSTANT timestamptz := date_trunc('day', clock_timestamp() + interval '30 days', 'UTC');
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['run_history', 'run_results', 'run_output'] LOOP
    INSERT INTO time_partitions (name, parent, from_time, to_time)
    VALUES (table_name || '_before', table_name, '-infinity', cutoff);
  END LOOP;
  EXECUTE format('CREATE TABLE run_results_before PARTITION OF run_results FOR VALUES FROM (%L) TO (%L)'
                 ' WITH (autovacuum_vacuum_insert_scale_factor = 0.02)',
                 first_id_at('-infinity'), first_id_at(cutoff));
  EXECUTE format('ALTER TABLE runs ADD CONSTRAINT runs_before CHECK (id >= %L AND id < %L) NOT VALID',
                 first_id_at('-infinity'), first_id_at(cutoff));
  EXECUTE format('ALTER TABLE run_output ADD CONSTRAINT run_output_before CHECK (run_id >= %L AND run_id < %L)'
                 ' NOT VALID', first_id_at('-infinity'), first_id_at(cutoff));
END $$;

CREATE TABLE runs_deleted_meanwhile (run_id uuid PRIMARY KEY);
GRANT INSERT ON runs_deleted_meanwhile TO svc_service;
CREATE FUNCTION follow_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO runs_deleted_meanwhile VALUES (OLD.id) ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, claim_id, runner_id, started_at,
                             completed_at, error_details, report_url, version)
    VALUES (NEW.id, NEW.project_id, NEW.job_id, NEW.trigger, NEW.status, NEW.attempt, NEW.claim_id, NEW.executor_id,
            NEW.started_at, NEW.completed_at, NEW.error_details, NEW.report_url, NEW.version)
    ON CONFLICT (run_id) DO UPDATE
       SET status = excluded.status, completed_at = excluded.completed_at, started_at = excluded.started_at,
           error_details = excluded.error_details, report_url = excluded.report_url, version = excluded.version;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER runs_followed AFTER INSERT OR UPDATE ON runs
  FOR EACH ROW WHEN (NEW.completed_at IS NOT NULL) EXECUTE FUNCTION follow_run();
CREATE TRIGGER runs_deletion_followed AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION follow_run();
