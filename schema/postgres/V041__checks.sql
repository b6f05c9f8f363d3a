-- compatible from V037
-- What checks write, thousands of times a second. No statement of the service makes, alters or drops a table for it.

-- What a location has found of a monitor. `revision` changes with everything that a vote depends on: a counted result, an
-- edit, another verdict. So a result whose vote was computed from a revision counts only if that is still the row's.
-- Written in place (HOT): no index but the key.
CREATE TABLE check_states (
  monitor_id      uuid NOT NULL REFERENCES monitors ON DELETE CASCADE,
  location_id     uuid NOT NULL,                    -- all zero: the service itself
  revision        bigint NOT NULL DEFAULT 1,
  check_version   bigint NOT NULL,
  last_slot       bigint NOT NULL DEFAULT 0,        -- when the newest counted check was due: milliseconds since 1970
  says            text NOT NULL DEFAULT 'none' CHECK (says IN ('none', 'up', 'down')),
  -- Results in a row.
  fails           integer NOT NULL DEFAULT 0,
  oks             integer NOT NULL DEFAULT 0,
  errors          integer NOT NULL DEFAULT 0,
  slow            integer NOT NULL DEFAULT 0,
  plain           integer NOT NULL DEFAULT 0,
  degraded        boolean NOT NULL DEFAULT false,
  failing_since   timestamptz,
  good_since      timestamptz,
  evidence_at     timestamptz,
  seen_at         timestamptz,
  failure         smallint,                         -- numbers of `checks::code`
  failure_message text,
  error           smallint,
  error_message   text,
  response_ms     integer,
  -- Seconds that results with evidence stand for: since the first failing check of the streak or of the outage, and of
  -- those the good ones since the last failing one.
  covered         bigint NOT NULL DEFAULT 0,
  covered_well    bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (monitor_id, location_id)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON check_states TO svc_service;

-- Who checks: holders say each three seconds that they are there, and hold shards while they do.
CREATE TABLE check_holders (
  id          uuid PRIMARY KEY,
  location_id uuid NOT NULL,
  seen_at     timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON check_holders TO svc_service;

CREATE TABLE check_shards (
  location_id uuid NOT NULL,
  shard       smallint NOT NULL CHECK (shard BETWEEN 0 AND 63),
  holder      uuid,
  epoch       bigint NOT NULL DEFAULT 0,            -- how often it changed hands
  lease_until timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (location_id, shard)
) WITH (fillfactor = 50);
INSERT INTO check_shards (location_id, shard)
SELECT '00000000-0000-0000-0000-000000000000', generate_series(0, 63);
GRANT SELECT, UPDATE ON check_shards TO svc_service;

-- Rings: their partitions are used in turn, and emptied when what they hold is kept elsewhere or too old. TRUNCATE is all
-- that the service may do with them beside writing and reading, and there is nothing to vacuum. Rows carry their hour, so
-- what was not emptied in time is longer, and never taken for something else.
CREATE TABLE check_raw (
  ring        smallint NOT NULL,                    -- hour mod 8
  -- Since 1970, of the check's begin; a later one if that was over for a minute when the result came.
  hour        integer NOT NULL,
  monitor_id  uuid NOT NULL,
  location_id uuid NOT NULL,
  started_ms  bigint NOT NULL,
  covers      integer NOT NULL,                     -- seconds that it stands for; none of a check out of turn
  result      bytea NOT NULL                        -- `checks::packed` of this one
) PARTITION BY LIST (ring);
CREATE INDEX check_raw_of_monitor ON check_raw (monitor_id, location_id, started_ms);

-- An hour of a monitor at a location.
CREATE TABLE check_hours (
  ring        smallint NOT NULL,                    -- day mod 40
  hour        integer NOT NULL,
  monitor_id  uuid NOT NULL,
  location_id uuid NOT NULL,
  checks      integer NOT NULL,
  up          integer NOT NULL,
  down        integer NOT NULL,
  observed    integer NOT NULL,                     -- seconds that results with evidence stand for
  sum_ms      bigint NOT NULL,
  min_ms      integer,
  max_ms      integer,
  times       bytea NOT NULL,                       -- `checks::histogram`
  results     bytea NOT NULL,                       -- `checks::packed`
  PRIMARY KEY (ring, monitor_id, hour, location_id)
) PARTITION BY LIST (ring);

DO $$
BEGIN
  FOR n IN 0 .. 7 LOOP
    EXECUTE format('CREATE TABLE check_raw_%s PARTITION OF check_raw FOR VALUES IN (%s)'
                   ' WITH (autovacuum_enabled = false)', n, n);
    EXECUTE format('GRANT TRUNCATE ON check_raw_%s TO svc_service', n);
  END LOOP;
  FOR n IN 0 .. 39 LOOP
    EXECUTE format('CREATE TABLE check_hours_%s PARTITION OF check_hours FOR VALUES IN (%s)'
                   ' WITH (autovacuum_vacuum_insert_threshold = -1)', n, n);
    EXECUTE format('GRANT TRUNCATE ON check_hours_%s TO svc_service', n);
  END LOOP;
END $$;
GRANT SELECT, INSERT ON check_raw, check_hours TO svc_service;

-- A UTC day of a monitor at a location.
CREATE TABLE check_days (
  monitor_id  uuid NOT NULL,
  location_id uuid NOT NULL,
  day         integer NOT NULL,                     -- since 1970
  checks      integer NOT NULL,
  up          integer NOT NULL,
  down        integer NOT NULL,
  observed    integer NOT NULL,
  sum_ms      bigint NOT NULL,
  min_ms      integer,
  max_ms      integer,
  times       bytea NOT NULL,
  PRIMARY KEY (monitor_id, location_id, day)
) WITH (fillfactor = 80);
CREATE INDEX check_days_old ON check_days (day);
GRANT SELECT, INSERT, UPDATE, DELETE ON check_days TO svc_service;

-- How far the packing of hours is: all before `hour`, and of it the monitors up to `after`.
CREATE TABLE check_packing (
  one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  hour    integer NOT NULL,
  after   uuid
);
INSERT INTO check_packing (hour) VALUES (floor(extract(epoch FROM now()) / 3600));
GRANT SELECT, UPDATE ON check_packing TO svc_service;

-- What went wrong, in full: of failures and errors, and of each change of a verdict.
CREATE TABLE check_failures (
  monitor_id  uuid NOT NULL,
  location_id uuid NOT NULL,
  started_ms  bigint NOT NULL,
  details     text NOT NULL CHECK (octet_length(details) <= 8192),
  stored_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX check_failures_of_monitor ON check_failures (monitor_id, location_id, started_ms);
CREATE INDEX check_failures_old ON check_failures (stored_at);
GRANT SELECT, INSERT, DELETE ON check_failures TO svc_service;

-- Empties the partition of an hour that is packed, if a later hour cannot be in it yet by the clock: nothing is read
-- under the lock. Otherwise, because packing is behind, it stays as it is until its newest hour is packed. As the
-- service, which may do no more to it.
CREATE FUNCTION empty_check_raw(of_hour bigint) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
  part CONSTANT text := 'check_raw_' || of_hour % 8;
BEGIN
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', part);
  -- An hour of tolerance, for checks whose begin is a little in the future.
  IF of_hour + 8 <= floor(extract(epoch FROM clock_timestamp()) / 3600) + 1 THEN
    RETURN false;
  END IF;
  EXECUTE format('TRUNCATE %I', part);
  RETURN true;
END $$;

-- Empties each partition whose hours are all of a day before this one; returns how many. The newest day that can be in
-- a partition follows from the clock, with a day of tolerance, so its rows are not read. While that day is kept all of
-- the partition is: days of an earlier turn of the ring, that were packed late or never emptied, stay beside it, and go
-- with it.
CREATE FUNCTION empty_check_hours(before_day bigint) RETURNS bigint LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
  last_day CONSTANT bigint := floor(extract(epoch FROM clock_timestamp()) / 86400)::bigint + 1;
  emptied  bigint := 0;
BEGIN
  FOR n IN 0 .. 39 LOOP
    CONTINUE WHEN last_day - ((last_day - n) % 40 + 40) % 40 >= before_day;
    CONTINUE WHEN NOT EXISTS (SELECT FROM check_hours h WHERE h.ring = n);
    EXECUTE format('TRUNCATE check_hours_%s', n);
    emptied := emptied + 1;
  END LOOP;
  RETURN emptied;
END $$;
