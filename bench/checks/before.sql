-- Which monitors have a year of results, and which of them are read; samples of what packing writes follow.
CREATE TABLE bench_monitors AS
SELECT id, project_id, n % 8 AS variant, n % 50 = 0 AS is_read
  FROM (SELECT id, project_id, row_number() OVER (ORDER BY id) AS n FROM monitors
         WHERE deleted_at IS NULL ORDER BY id LIMIT :monitors) m;
CREATE INDEX ON bench_monitors (id);
CREATE TABLE bench_tokens (project uuid, token text);
CREATE TABLE bench_digests (digest text, token text);
CREATE TABLE bench_samples (kind text, at integer, variant integer, checks integer, up integer, down integer,
                            observed integer, sum_ms bigint, min_ms integer, max_ms integer, times bytea, results bytea);
COPY bench_samples FROM STDIN;
