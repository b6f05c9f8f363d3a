-- A plan is made once for a connection, and kept until the next ANALYZE. Two that were made for empty tables were bad for
-- tables that had filled meanwhile.

-- As before, but what is settled is a range of the key. As `id IN (SELECT ...)` it was joined to all of the table, for each
-- row: 180 ms of each second under load.
CREATE OR REPLACE FUNCTION settle_output_usage(quota bigint, OUT project_id uuid, OUT runs bigint, OUT bytes bigint)
RETURNS SETOF record LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  settled CONSTANT int := 10000;
  dropped CONSTANT int := 200;
  changes bigint;
  over record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('settle_output_usage', 0)) THEN
    RETURN;
  END IF;
  WITH gone AS (
    DELETE FROM output_changes c
     WHERE c.id <= (SELECT max(n.id) FROM (SELECT o.id FROM output_changes o ORDER BY o.id LIMIT settled) n)
    RETURNING c.project_id, c.bytes
  ), sums AS (
    SELECT g.project_id, sum(g.bytes)::bigint AS bytes FROM gone g GROUP BY g.project_id
  ), kept AS (
    INSERT INTO project_output AS u (project_id, bytes)
    SELECT s.project_id, greatest(0, s.bytes) FROM sums s JOIN projects p ON p.id = s.project_id
    ON CONFLICT ON CONSTRAINT project_output_pkey
    DO UPDATE SET bytes = greatest(0, u.bytes + (SELECT s.bytes FROM sums s WHERE s.project_id = u.project_id))
  )
  SELECT count(*) INTO changes FROM gone;
  IF quota = 0 OR changes = settled THEN
    RETURN;
  END IF;
  FOR over IN SELECT u.project_id, u.bytes - quota AS surplus FROM project_output u
               WHERE u.bytes > quota ORDER BY u.project_id LIMIT 20 LOOP
    RETURN QUERY
    WITH oldest AS (
      SELECT o.run_id, octet_length(o.content) AS size,
             sum(octet_length(o.content)) OVER (ORDER BY o.ended_at, o.run_id) AS through
        FROM (SELECT r.run_id, r.ended_at, r.content FROM run_output r
               WHERE r.project_id = over.project_id AND r.content IS NOT NULL
               ORDER BY r.ended_at, r.run_id LIMIT dropped) o
    ), emptied AS (
      UPDATE run_output e SET content = NULL, dropped_at = clock_timestamp()
        FROM oldest d
       WHERE e.run_id = d.run_id AND d.through - d.size < over.surplus AND e.content IS NOT NULL
      RETURNING d.size
    )
    SELECT over.project_id, count(*), sum(m.size)::bigint FROM emptied m HAVING count(*) > 0;
  END LOOP;
END $$;

-- Of an empty partition all indexes look alike, so a plan may look an id up in one that does not begin with it, which reads
-- all of it. So what fills for the first time is analysed at once, which makes plans anew, and again when it is ten times as
-- large, until autovacuum does it. Returns how many were. As the owner, because the service may analyse nothing.
CREATE FUNCTION analyze_filling_partitions() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  least_pages CONSTANT bigint := 16;
  filling text;
  analyzed bigint := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('analyze partitions', 0)) THEN
    RETURN 0;
  END IF;
  FOR filling IN
    SELECT p.name FROM time_partitions p JOIN pg_class c ON c.oid = to_regclass(p.name)
     WHERE clock_timestamp() BETWEEN p.from_time - interval '1 hour' AND p.to_time
       AND pg_relation_size(c.oid) / current_setting('block_size')::bigint >= greatest(least_pages, 10 * c.relpages)
  LOOP
    EXECUTE format('ANALYZE %I', filling);
    analyzed := analyzed + 1;
  END LOOP;
  RETURN analyzed;
END $$;
REVOKE EXECUTE ON FUNCTION analyze_filling_partitions FROM public;
GRANT EXECUTE ON FUNCTION analyze_filling_partitions TO svc_service;
