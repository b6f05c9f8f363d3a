-- compatible from V041
-- A monitor whose decision fails is looked at again after a pause that doubles with each failure, so that it does not
-- stop the decisions on others.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE monitor_status ADD COLUMN failed_looks integer NOT NULL DEFAULT 0;  -- in a row
ALTER TABLE heartbeats ADD COLUMN failed_looks integer NOT NULL DEFAULT 0;
