-- Nine of ten runs passed; each took a second and waited a quarter of one.
INSERT INTO run_history (id, project_id, job_id, job_name, job_type, trigger, triggered_by, token_id, tests, test_count,
                         created_at)
SELECT bench.id(i, :n, 0), t.project_id, t.job_id, t.job_name, t.job_type, 'remote', t.token_name, t.token_id, t.tests,
       jsonb_array_length(t.tests), bench.moment(i, :n)
  FROM generate_series(1, :n::bigint) i JOIN bench.targets t ON t.n = i % (SELECT count(*) FROM bench.targets);
