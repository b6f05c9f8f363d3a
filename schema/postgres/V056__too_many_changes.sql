-- compatible from V041
-- After 20 changes of a monitor's verdict in an hour its alerts are left out, and one row says so.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE monitor_status
  ADD COLUMN changes timestamptz[] NOT NULL DEFAULT '{}',          -- of the verdict, the newest 20, the oldest first
  ADD COLUMN limit_recorded boolean NOT NULL DEFAULT false,        -- an alert says that others are left out
  ADD COLUMN failure_left_out boolean NOT NULL DEFAULT false;      -- of the open outage no alert was written

ALTER TABLE alerts
  DROP CONSTRAINT alerts_suppressed_by_check,
  ADD CONSTRAINT alerts_suppressed_by_check
    CHECK (suppressed_by IN ('muted', 'provider_disabled', 'too_many_changes'));
