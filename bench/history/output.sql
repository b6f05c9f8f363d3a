-- The same 20 lines for each run, compressed as the service compresses them.
INSERT INTO run_output (run_id, ended_at, content, size, lines, stored_at, project_id)
SELECT bench.id(i, :n, 0), at + interval '1.25 s', decode(:'content', 'hex'), :size, 20, at + interval '1.5 s',
       t.project_id
  FROM generate_series(1, :n::bigint) i JOIN bench.targets t ON t.n = i % (SELECT count(*) FROM bench.targets)
 CROSS JOIN LATERAL bench.moment(i, :n) at;

INSERT INTO project_output (project_id, bytes)
SELECT t.project_id, count(*) * octet_length(decode(:'content', 'hex')) * (:n / (SELECT count(*) FROM bench.targets))
  FROM bench.targets t GROUP BY t.project_id
ON CONFLICT (project_id) DO UPDATE SET bytes = project_output.bytes + excluded.bytes;
