-- outside a transaction: each statement by itself
-- The audit log becomes a table in partitions by time (V028), of which the log so far is the first. These are the
-- partitioned table's indexes; they are built here, because building them then would stop its writers.
--
-- Lists are in the order of ids, which is that of time. Nearly all rows are those of triggers, so these are in two
-- indexes; all others have indexes of their own, where a rare row is found among few. A list of both kinds merges two
-- indexes.
DROP INDEX CONCURRENTLY IF EXISTS audit_log_first_triggers;
CREATE INDEX CONCURRENTLY audit_log_first_triggers ON audit_log (project_id, id) WHERE action = 'job.triggered';
DROP INDEX CONCURRENTLY IF EXISTS audit_log_first_triggers_by_actor;
CREATE INDEX CONCURRENTLY audit_log_first_triggers_by_actor ON audit_log (project_id, actor_id, id) WHERE action = 'job.triggered';
DROP INDEX CONCURRENTLY IF EXISTS audit_log_first_others;
CREATE INDEX CONCURRENTLY audit_log_first_others ON audit_log (project_id, id) WHERE action <> 'job.triggered';
DROP INDEX CONCURRENTLY IF EXISTS audit_log_first_others_by_action;
CREATE INDEX CONCURRENTLY audit_log_first_others_by_action ON audit_log (project_id, action, id) WHERE action <> 'job.triggered';
DROP INDEX CONCURRENTLY IF EXISTS audit_log_first_others_by_actor;
CREATE INDEX CONCURRENTLY audit_log_first_others_by_actor ON audit_log (project_id, actor_id, id) WHERE action <> 'job.triggered';
DROP INDEX CONCURRENTLY IF EXISTS audit_log_first_others_by_both;
CREATE INDEX CONCURRENTLY audit_log_first_others_by_both ON audit_log (project_id, actor_id, action, id) WHERE action <> 'job.triggered';
DROP INDEX CONCURRENTLY IF EXISTS audit_log_first_without_project;
CREATE INDEX CONCURRENTLY audit_log_first_without_project ON audit_log (organization_id, id) WHERE project_id IS NULL;
