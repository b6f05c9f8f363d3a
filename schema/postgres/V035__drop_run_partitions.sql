-- Adds partitions for runs, of the same bounds in all their tables: so a range can go as a whole, even while two
-- instances differ about its width.
CREATE FUNCTION add_run_partitions(width interval, until timestamptz) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('partitions of runs', 0)) THEN
    RETURN 0;
  END IF;
  RETURN add_partitions('run_history', width, until) + add_partitions('run_results', width, until)
         + add_partitions('run_output', width, until);
END $$;
REVOKE EXECUTE ON FUNCTION add_run_partitions FROM public;
GRANT EXECUTE ON FUNCTION add_run_partitions TO svc_service;

-- Drops the oldest range of runs with all that belongs to them, if all of them ended before this time; returns how many
-- they were. NULL: there is none, a run of it has not ended for so long, or the tables are in use; a later call may
-- find one. Runs as the owner, because the service may change no table.
CREATE FUNCTION drop_run_partitions(older_than timestamptz) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '200ms' AS $$
DECLARE
  span record;
  first uuid;
  beyond uuid;
  runs bigint;
  latest timestamptz;
BEGIN
  IF older_than > statement_timestamp() - interval '1 day' THEN
    RAISE EXCEPTION 'runs that ended less than a day ago are not dropped: %', older_than;
  END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended('partitions of runs', 0)) THEN
    RETURN NULL;
  END IF;
  SELECT h.name AS history, e.name AS results, o.name AS output, h.from_time, h.to_time INTO span
    FROM time_partitions h
    JOIN time_partitions e ON e.parent = 'run_results' AND (e.from_time, e.to_time) = (h.from_time, h.to_time)
    JOIN time_partitions o ON o.parent = 'run_output' AND (o.from_time, o.to_time) = (h.from_time, h.to_time)
   WHERE h.parent = 'run_history' AND h.to_time <= older_than ORDER BY h.from_time LIMIT 1;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  first := first_id_at(span.from_time);
  beyond := first_id_at(span.to_time);
  PERFORM FROM run_queue q WHERE q.run_id >= first AND q.run_id < beyond LIMIT 1;
  IF FOUND THEN
    RETURN NULL;
  END IF;
  EXECUTE format('SELECT count(*), max(completed_at) FROM %I', span.results) INTO runs, latest;
  IF latest > older_than THEN
    RETURN NULL;
  END IF;

  -- A key that was used again lately keeps what a retry is told.
  PERFORM delete_runs(ARRAY(SELECT k.run_id FROM idempotency_keys k WHERE k.run_id >= first AND k.run_id < beyond
                               AND k.created_at > statement_timestamp() - interval '24 hours'));
  DELETE FROM idempotency_keys k WHERE k.run_id >= first AND k.run_id < beyond;
  -- No output is moved there from here on, nor dropped, so the bytes that go are those that are summed up.
  EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', span.output);
  EXECUTE format('INSERT INTO output_changes (project_id, bytes) SELECT o.project_id, -sum(octet_length(o.content))'
                 '  FROM %I o WHERE o.content IS NOT NULL AND o.project_id IS NOT NULL GROUP BY o.project_id', span.output);
  -- Whoever reads any run waits for these locks, or they for him, no longer than the timeout.
  LOCK TABLE ONLY run_history, ONLY run_results, ONLY run_output IN ACCESS EXCLUSIVE MODE;
  EXECUTE format('DROP TABLE %I, %I, %I', span.history, span.results, span.output);
  DELETE FROM time_partitions p WHERE p.name IN (span.history, span.results, span.output);
  RETURN runs;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION drop_run_partitions FROM public;
GRANT EXECUTE ON FUNCTION drop_run_partitions TO svc_service;
