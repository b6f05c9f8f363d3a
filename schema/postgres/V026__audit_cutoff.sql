-- Where the log so far ends: every row of the next seven days still belongs to it, so that instances of the previous
-- version, and a migration that is interrupted, have time. From here until V028 has been applied, a row whose id is of a
-- later time is refused.
SET LOCAL lock_timeout = '1s';

INSERT INTO time_partitions (name, parent, from_time, to_time)
VALUES ('audit_log_first', 'audit_log', '-infinity', date_trunc('day', now(), 'UTC') + interval '7 days');

-- Attaching a partition reads all of it, while its writers wait, unless a valid CHECK says what it holds.
DO $$ BEGIN
  EXECUTE format('ALTER TABLE audit_log ADD CONSTRAINT audit_log_cutoff CHECK (id < %L) NOT VALID',
                 (SELECT first_id_at(to_time) FROM time_partitions WHERE name = 'audit_log_first'));
END $$;
