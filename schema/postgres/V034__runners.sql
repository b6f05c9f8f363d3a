-- Runners have the name that everybody calls them by; nothing but names changes.
-- Both at once, in the order of a claim, and for less than PostgreSQL's `deadlock_timeout`: otherwise a claim of 0.1 that
-- holds the one and waits for the other would be ended instead of this.
SET LOCAL lock_timeout = '500ms';
LOCK TABLE executors, executor_tokens;
ALTER TABLE executor_tokens RENAME TO runner_tokens;
ALTER TABLE executors RENAME TO runners;
DO $$
DECLARE
  named record;
BEGIN
  FOR named IN SELECT conrelid::regclass AS of_table, conname AS name FROM pg_constraint
                WHERE conrelid IN ('runner_tokens'::regclass, 'runners'::regclass) AND conname LIKE 'executor%' LOOP
    EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', named.of_table, named.name,
                   replace(named.name, 'executor', 'runner'));
  END LOOP;
END $$;
ALTER INDEX executor_tokens_name_unique RENAME TO runner_tokens_name_unique;

-- For version 0.1, until the version after the next.
CREATE VIEW executor_tokens AS
SELECT id, organization_id, project_id, name, start, digest, created_at, revoked_at FROM runner_tokens;
CREATE VIEW executors AS
SELECT id, token_id, name, version, labels, slots, registered_at, last_seen_at FROM runners;
GRANT SELECT, INSERT, UPDATE ON executor_tokens, executors TO svc_service;
