-- How they ended.
INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, claim_id, runner_id, started_at,
                         completed_at, error_details, reported, version)
SELECT bench.id(i, :n, 0), t.project_id, t.job_id, 'remote', CASE WHEN i % 10 = 0 THEN 'failed' ELSE 'passed' END, 1,
       bench.id(i, :n, 1), bench.id(1, :n, 2), at + interval '0.25 s', at + interval '1.25 s',
       CASE WHEN i % 10 = 0 THEN 'Test 1 failed.' END, t.results, 3
  FROM generate_series(1, :n::bigint) i JOIN bench.targets t ON t.n = i % (SELECT count(*) FROM bench.targets)
 CROSS JOIN LATERAL bench.moment(i, :n) at;
