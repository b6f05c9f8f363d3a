-- Nine of ten runs passed; each took a second and waited a quarter of one.
INSERT INTO runs (id, project_id, job_id, job_name, job_type, status, trigger, triggered_by, token_id, tests, test_count,
                  timeout_seconds, attempt, claim_id, executor_id, error_details, version, queued_at, created_at,
                  started_at, completed_at, updated_at)
SELECT bench.id(i, :n, 0), t.project_id, t.job_id, t.job_name, t.job_type,
       CASE WHEN i % 10 = 0 THEN 'failed' ELSE 'passed' END, 'remote', t.token_name, t.token_id, t.tests,
       jsonb_array_length(t.tests), t.timeout_seconds, 1, bench.id(i, :n, 1), bench.id(1, :n, 2),
       CASE WHEN i % 10 = 0 THEN 'Test 1 failed.' END, 3, at, at, at + interval '0.25 s', at + interval '1.25 s',
       at + interval '1.25 s'
  FROM generate_series(1, :n::bigint) i JOIN bench.targets t ON t.n = i % (SELECT count(*) FROM bench.targets)
 CROSS JOIN LATERAL bench.moment(i, :n) at;
