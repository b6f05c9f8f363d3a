-- outside a transaction: each statement by itself
-- compatible from V041
-- The runs of single tests by project, so that the service can bound their number. The service writes runs meanwhile, so
-- the migration builds the index on each partition by itself.

-- The index of the parent is valid once each partition has its own. Partitions that the service adds later get one.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  CREATE INDEX IF NOT EXISTS run_history_single ON ONLY run_history (project_id, id) WHERE job_id IS NULL;
END $$;

-- An interrupted build leaves an invalid index.
-- each
SELECT format('DROP INDEX CONCURRENTLY IF EXISTS %I', c.relname)
  FROM pg_inherits p
  JOIN pg_class t ON t.oid = p.inhrelid
  JOIN pg_index i ON i.indrelid = t.oid
  JOIN pg_class c ON c.oid = i.indexrelid
 WHERE p.inhparent = 'run_history'::regclass AND c.relname = t.relname || '_single' AND NOT i.indisvalid;

-- each
SELECT format('CREATE INDEX CONCURRENTLY %I ON %I (project_id, id) WHERE job_id IS NULL', t.relname || '_single',
              t.relname)
  FROM pg_inherits p
  JOIN pg_class t ON t.oid = p.inhrelid
  JOIN time_partitions r ON r.name = t.relname
 WHERE p.inhparent = 'run_history'::regclass
   AND NOT EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                     LEFT JOIN pg_inherits a ON a.inhrelid = i.indexrelid
                    WHERE i.indrelid = t.oid
                      AND (c.relname = t.relname || '_single' OR a.inhparent = 'run_history_single'::regclass))
 ORDER BY r.from_time;

-- Oldest first, because the service drops the oldest partition only, and the last attachment makes the parent's index
-- valid. Readers wait for one attachment at most.
-- each
SELECT format('SET LOCAL lock_timeout = ''500ms''; ALTER INDEX run_history_single ATTACH PARTITION %I', c.relname)
  FROM pg_inherits p
  JOIN pg_class t ON t.oid = p.inhrelid
  JOIN time_partitions r ON r.name = t.relname
  JOIN pg_index i ON i.indrelid = t.oid
  JOIN pg_class c ON c.oid = i.indexrelid
 WHERE p.inhparent = 'run_history'::regclass AND c.relname = t.relname || '_single' AND NOT c.relispartition
 ORDER BY r.from_time;
