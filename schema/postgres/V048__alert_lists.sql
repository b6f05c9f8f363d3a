-- compatible from V046
-- Alerts as users list them, and ask for again.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE alerts
  DROP CONSTRAINT alerts_type_check,
  ADD CONSTRAINT alerts_type_check CHECK (type IN ('monitor_failure', 'monitor_recovery', 'monitor_degraded',
                                                   'monitor_error', 'ssl_expiring', 'job_failed', 'job_timeout',
                                                   'job_success', 'job_recovered', 'provider_failing')),
  DROP CONSTRAINT alerts_target_type_check,
  ADD CONSTRAINT alerts_target_type_check CHECK (target_type IN ('monitor', 'job', 'provider')),
  ADD COLUMN end_told boolean NOT NULL DEFAULT false,   -- of a failure: its newest attempt told its outage's end
  ADD COLUMN retried_at timestamptz;                    -- when somebody had it sent again

-- The order of lists behind each filter that can leave few of many rows.
CREATE INDEX alerts_of_target ON alerts (target_id, created_at DESC, id DESC);
CREATE INDEX alerts_of_provider ON alerts (provider_id, created_at DESC, id DESC);
CREATE INDEX alerts_by_status ON alerts (project_id, status, created_at DESC, id DESC);
CREATE INDEX alerts_by_type ON alerts (project_id, type, created_at DESC, id DESC);

-- Of all projects, for those that are too old: by an expression, so that no list of one project is read through it.
DROP INDEX alerts_by_age;
CREATE INDEX alerts_by_age ON alerts ((created_at AT TIME ZONE 'UTC'));
