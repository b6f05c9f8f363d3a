-- What a trigger with a key reads of runs. Functions, so that a trigger whose key is new does not pay for opening the
-- partitions.

-- The oldest queued run that a trigger with this dedup key joins. One that was claimed before may have begun.
CREATE FUNCTION run_to_join(of_job uuid, dedup text, wanted jsonb) RETURNS uuid LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
  RETURN (SELECT q.run_id FROM run_queue q JOIN run_history h ON h.id = q.run_id
           WHERE q.job_id = of_job AND q.dedup_key = dedup AND q.status = 'queued' AND q.claim_id IS NULL
             AND h.parameters = wanted
           ORDER BY q.queued_at, q.run_id LIMIT 1);
END $$;

-- A run as a trigger answers it. The id is hidden from the planner, which would plan for each one.
CREATE FUNCTION triggered_run(run uuid)
RETURNS TABLE (job_name text, job_type text, status text, test_count integer, triggered_by text, queued_at timestamptz)
LANGUAGE plpgsql STABLE STRICT ROWS 1 AS $$
BEGIN
  RETURN QUERY
  SELECT h.job_name, h.job_type, coalesce(q.status, e.status), h.test_count, h.triggered_by,
         coalesce(q.queued_at, h.created_at)
    FROM run_history h LEFT JOIN run_queue q ON q.run_id = h.id LEFT JOIN run_results e ON e.run_id = h.id
   WHERE h.id = (SELECT run);
END $$;
