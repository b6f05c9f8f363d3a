-- outside a transaction: each statement by itself
-- compatible from V041
-- The outages of a project, in the order of their list, and its open ones. Instances write outages meanwhile. An
-- interrupted build leaves an invalid index.
DROP INDEX CONCURRENTLY IF EXISTS outages_of_project;
CREATE INDEX CONCURRENTLY outages_of_project ON outages (project_id, started_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS outages_open_of_project;
CREATE INDEX CONCURRENTLY outages_open_of_project ON outages (project_id, started_at DESC, id DESC)
 WHERE ended_at IS NULL;
