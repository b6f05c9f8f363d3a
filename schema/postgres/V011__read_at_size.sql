-- Lists of many rows: a total that nobody counts, and runs by the way they were started.

-- What the planner thinks that a query returns, for totals that would cost too much to count.
CREATE FUNCTION estimated_rows(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
  RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric::bigint;
END $$;

-- Few runs of many may be of a kind. Each index holds all that a list filters by, so that what is left out is never
-- fetched; the older one of a job did not.
CREATE INDEX runs_by_trigger ON runs (project_id, trigger, created_at DESC, id DESC);
DROP INDEX runs_of_job;
CREATE INDEX runs_of_job ON runs (job_id, created_at DESC, id DESC) INCLUDE (status, trigger);
CREATE INDEX runs_by_both ON runs (project_id, status, trigger, created_at DESC, id DESC);

-- Totals are counted from indexes alone where pages are known to be visible to all; the default would leave a fifth of
-- a growing table unknown.
ALTER TABLE runs SET (autovacuum_vacuum_insert_scale_factor = 0.02);
