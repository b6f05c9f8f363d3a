-- Tables that only grow are partitioned by their ids: a UUIDv7 begins with the time (RFC 9562, section 5.7), so rows are
-- in the order of time, a row is found by its id in one partition, and old rows go with their partition.

-- The id of a row that is made at this time, with the last 62 bits of `random`. To the microsecond: the 12 bits behind
-- the milliseconds are the fraction of one (RFC 9562, section 6.2, method 3).
CREATE FUNCTION id_at(at timestamptz, random uuid) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT (lpad(to_hex((date_part('epoch', at) * 1000000)::bigint / 1000), 12, '0') || '7'
          || lpad(to_hex((date_part('epoch', at) * 1000000)::bigint % 1000 * 4096 / 1000), 3, '0')
          || substr(random::text, 20))::uuid
$$;

-- Below every id of this time and later, above every earlier one. For bounds of partitions and of lists.
CREATE FUNCTION first_id_at(at timestamptz) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE at WHEN '-infinity' THEN '00000000-0000-0000-0000-000000000000'::uuid
                 WHEN 'infinity' THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
                 ELSE id_at(at, '00000000-0000-0000-0000-000000000000') END
$$;

-- Which partitions there are. The first one of a table also has everything before it.
CREATE TABLE time_partitions (
  name      text PRIMARY KEY,
  parent    text NOT NULL,
  from_time timestamptz NOT NULL,
  to_time   timestamptz NOT NULL CHECK (from_time < to_time),
  CONSTRAINT time_partitions_in_turn UNIQUE (parent, from_time)
);
GRANT SELECT ON time_partitions TO svc_service;

-- Adds partitions of this width behind the newest one until `until` has one; returns how many. One caller at a time;
-- another one finds nothing to do. The table is made first and attached then, which does not stop writers; CREATE TABLE
-- ... PARTITION OF would. Runs as the owner, because the service may change no table.
CREATE FUNCTION add_partitions(of_table text, width interval, until timestamptz) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  starts timestamptz;
  ends timestamptz;
  added bigint := 0;
  called text;
BEGIN
  IF width < interval '1 hour' THEN
    RAISE EXCEPTION 'a partition of less than an hour: %', width;
  END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended('partitions of ' || of_table, 0)) THEN
    RETURN 0;
  END IF;
  LOOP
    SELECT max(p.to_time) INTO starts FROM time_partitions p WHERE p.parent = of_table;
    EXIT WHEN starts IS NULL OR starts > until;
    ends := starts + width;
    called := of_table || to_char(starts AT TIME ZONE 'UTC', '_YYYYMMDD_HH24');
    -- Counting reads indexes alone where pages are known to be visible to all; the default would leave a fifth unknown.
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)'
                   ' WITH (autovacuum_vacuum_insert_scale_factor = 0.02)', called, of_table);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', of_table, called,
                   first_id_at(starts), first_id_at(ends));
    INSERT INTO time_partitions (name, parent, from_time, to_time) VALUES (called, of_table, starts, ends);
    added := added + 1;
  END LOOP;
  RETURN added;
END $$;
REVOKE EXECUTE ON FUNCTION add_partitions FROM public;
GRANT EXECUTE ON FUNCTION add_partitions TO svc_service;
