-- compatible from V041
-- Alerts of jobs. The statement that ends a run adds it to `run_alerts_due` if its job's alerts are enabled; who takes it out
-- writes its alerts in the same transaction, so each run counts once.
SET LOCAL lock_timeout = '500ms';

-- A row for each job whose alerts are enabled and that is not deleted, with its runs in a row since then. Who takes out runs
-- of a job locks it.
CREATE TABLE job_streaks (
  job_id   uuid PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
  failures bigint NOT NULL DEFAULT 0,    -- failed, error and timed_out; cancelled runs are left out
  passes   bigint NOT NULL DEFAULT 0,
  told     uuid[] NOT NULL DEFAULT '{}'  -- the providers that were told of a failure since the newest pass
) WITH (fillfactor = 70);
GRANT SELECT, UPDATE ON job_streaks TO svc_service;

CREATE FUNCTION follow_job_alerts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.deleted_at IS NULL AND NEW.alert_config @> '{"enabled": true}' THEN
    INSERT INTO job_streaks (job_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM job_streaks WHERE job_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER jobs_alerts_begun AFTER INSERT ON jobs
  FOR EACH ROW WHEN (NEW.alert_config @> '{"enabled": true}') EXECUTE FUNCTION follow_job_alerts();
CREATE TRIGGER jobs_alerts_changed AFTER UPDATE OF alert_config, deleted_at ON jobs
  FOR EACH ROW WHEN (OLD.alert_config IS DISTINCT FROM NEW.alert_config OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION follow_job_alerts();
INSERT INTO job_streaks (job_id)
SELECT id FROM jobs WHERE deleted_at IS NULL AND alert_config @> '{"enabled": true}';

-- Empty but for moments. Its own key is its only index, because a row is written for each run that ends.
CREATE TABLE run_alerts_due (
  job_id   uuid NOT NULL,
  ended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  run_id   uuid NOT NULL,
  status   text NOT NULL,
  PRIMARY KEY (job_id, ended_at, run_id)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
GRANT SELECT, INSERT, DELETE ON run_alerts_due TO svc_service;
