-- outside a transaction: each statement by itself

-- How the runs ended that ended before V029. What ends or goes meanwhile is written by the triggers of V029.
INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, claim_id, runner_id, started_at,
                         completed_at, error_details, report_url, version)
SELECT id, project_id, job_id, trigger, status, attempt, claim_id, executor_id, started_at, completed_at,
       error_details, report_url, version
  FROM runs WHERE completed_at IS NOT NULL
ON CONFLICT (run_id) DO NOTHING;

-- What the history's partitions must have, made beside the previous version.
DROP INDEX IF EXISTS run_history_before_newest;
CREATE INDEX CONCURRENTLY run_history_before_newest ON runs (project_id, trigger, id);

DROP INDEX IF EXISTS run_history_before_of_job;
CREATE INDEX CONCURRENTLY run_history_before_of_job ON runs (job_id, id) INCLUDE (trigger);

-- A claim of 0.1 asks for each project's latest start.
DROP INDEX IF EXISTS run_results_before_started;
CREATE INDEX CONCURRENTLY run_results_before_started ON run_results_before (project_id, started_at);

ALTER TABLE runs VALIDATE CONSTRAINT runs_before;

ALTER TABLE run_output VALIDATE CONSTRAINT run_output_before;

ANALYZE run_results;
