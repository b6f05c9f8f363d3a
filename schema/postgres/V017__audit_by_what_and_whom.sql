-- Each trigger writes an audit row, so a project has as many as runs: a filter finds its rows in an index that holds
-- them in the list's order, and counts them there.
CREATE INDEX audit_log_by_action ON audit_log (project_id, action, created_at DESC, id DESC) INCLUDE (actor_id);
CREATE INDEX audit_log_by_actor ON audit_log (project_id, actor_id, created_at DESC, id DESC) INCLUDE (action);

-- As for runs: totals are counted from indexes alone where pages are known to be visible to all.
ALTER TABLE audit_log SET (autovacuum_vacuum_insert_scale_factor = 0.02);
