-- Prepares a bulk load: whose runs they are, how ids and times follow from a number, and no index but the keys.

CREATE SCHEMA bench;

-- Job `n` of all, with its tests as they stand in a run that has passed.
CREATE TABLE bench.targets AS
SELECT row_number() OVER (ORDER BY md5(j.id::text)) - 1 AS n, p.organization_id, j.project_id, j.id AS job_id,
       j.name AS job_name, j.job_type, j.timeout_seconds, t.id AS token_id, t.name AS token_name, u.id AS owner_id,
       u.name AS owner_name,
       (SELECT jsonb_agg(jsonb_build_object('id', s.id, 'title', s.title, 'status', 'passed', 'durationMs', 412)
                         ORDER BY jt.position)
          FROM job_tests jt JOIN tests s ON s.id = jt.test_id WHERE jt.job_id = j.id) AS tests
  FROM jobs j JOIN projects p ON p.id = j.project_id JOIN tokens t ON t.job_id = j.id JOIN users u ON u.id = t.owner_id
 WHERE p.slug LIKE 'bench-%' AND t.revoked_at IS NULL;

-- The runs are spread evenly over the last 60 days (retention ends at 90), and end a minute ago at the latest.
CREATE FUNCTION bench.moment(i bigint, n bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT transaction_timestamp() - interval '1 minute' - interval '60 days' * ((n - i) / n::double precision)
$$;

-- A UUIDv7 of that moment; the number, scattered by a factor that is odd, makes it unique. `kind`: 0 to 3.
CREATE FUNCTION bench.id(i bigint, n bigint, kind int) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM bench.moment(i, n)) * 1000)::bigint), 12, '0') || '7' ||
          lpad(to_hex(i % 4096), 3, '0') || to_hex(8 + kind) || '000' ||
          lpad(to_hex((i * 654188429) & 281474976710655), 12, '0'))::uuid
$$;

-- Built once at the end they cost a fraction of what single entries do; those of partitions with their table's.
CREATE TABLE bench.indexes AS
SELECT i.indexrelid::regclass::text AS name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') AS definition
  FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
 WHERE i.indrelid IN ('runs'::regclass, 'audit_log'::regclass, 'run_output'::regclass) AND c.oid IS NULL;
SELECT format('DROP INDEX %s', name) FROM bench.indexes \gexec
