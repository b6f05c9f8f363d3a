-- Rows in the order of time, as packing writes them, so that a year of a monitor lies in as many blocks. Indexes
-- come afterwards.
SET synchronous_commit = off;
SET maintenance_work_mem = '512MB';
CREATE INDEX ON bench_samples (kind, at, variant);
ANALYZE bench_samples, bench_monitors;
ALTER TABLE check_days DROP CONSTRAINT check_days_pkey;
DROP INDEX check_days_old;
DO $$
DECLARE
  of_day integer;
BEGIN
  FOR of_day IN SELECT DISTINCT at FROM bench_samples WHERE kind = 'day' ORDER BY at LOOP
    INSERT INTO check_days
    SELECT m.id, '00000000-0000-0000-0000-000000000000', s.at, s.checks, s.up, s.down, s.observed, s.sum_ms, s.min_ms,
           s.max_ms, s.times
      FROM bench_monitors m JOIN bench_samples s ON s.kind = 'day' AND s.at = of_day AND s.variant = m.variant
     ORDER BY m.id;
  END LOOP;
END $$;
ALTER TABLE check_days ADD PRIMARY KEY (monitor_id, location_id, day);
CREATE INDEX check_days_old ON check_days (day);

INSERT INTO check_hours
SELECT s.at / 24 % 40, s.at, m.id, '00000000-0000-0000-0000-000000000000', s.checks, s.up, s.down, s.observed, s.sum_ms,
       s.min_ms, s.max_ms, s.times, s.results
  FROM bench_samples s JOIN bench_monitors m ON m.variant = s.variant AND (m.is_read OR s.at >= :hour - 24)
 WHERE s.kind = 'hour'
 ORDER BY s.at, m.id
    ON CONFLICT DO NOTHING;
