-- What the trigger of each run has written.
INSERT INTO audit_log (id, organization_id, project_id, action, actor_id, actor_name, actor_token_id, resource,
                       resource_id, ip, user_agent, request_id, details, created_at)
SELECT bench.id(i, :n, 1), t.organization_id, t.project_id, 'job.triggered', t.owner_id, t.owner_name, t.token_id, 'job',
       t.job_id, '127.0.0.1', 'bench', bench.id(i, :n, 2)::text, jsonb_build_object('run', bench.id(i, :n, 0)),
       bench.moment(i, :n)
  FROM generate_series(1, :n::bigint) i JOIN bench.targets t ON t.n = i % (SELECT count(*) FROM bench.targets);
