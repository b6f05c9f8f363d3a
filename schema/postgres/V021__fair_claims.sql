-- Claims that are fair to projects which share an executor.

-- What an executor holds now, by project; a heartbeat changes nothing of it.
CREATE INDEX runs_held ON runs (executor_id, project_id) WHERE status = 'running';
-- When a project last had a run claimed: the head of its entries.
CREATE INDEX runs_claimed_lately ON runs (project_id, started_at DESC) WHERE started_at IS NOT NULL;
