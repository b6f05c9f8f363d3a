-- Schedules that fire, and runs that grow old.

-- `next_run_at` is when a job's schedule triggers it next; the instances take due ones from here. NULL with a schedule:
-- no such time is known (30 February, a zone that tzdata lost, an archived project); those are looked at again now and
-- then. Times that passed while nothing fired them are not made up for.
UPDATE jobs SET next_run_at = NULL WHERE next_run_at < clock_timestamp();
CREATE INDEX jobs_due ON jobs (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE INDEX jobs_without_next_run ON jobs (id)
  WHERE next_run_at IS NULL AND cron_schedule IS NOT NULL AND enabled AND deleted_at IS NULL;

-- For retention: the oldest ends first.
CREATE INDEX runs_by_end ON runs (completed_at) WHERE completed_at IS NOT NULL;
