-- compatible from V037
-- Which timelines of which cluster this database has been written on. A promotion or a restore begins a new one, and may
-- have lost the newest epochs while Redis and instances still know them. So each new timeline begins with epochs that are
-- above all that were given before: `lowest_epoch`. Versions before this one do not know the table, and are lifted by the
-- first instance that does.
SET LOCAL lock_timeout = '2s';

CREATE TABLE timelines (
  system_identifier bigint NOT NULL,
  timeline          bigint NOT NULL CHECK (timeline > 0),
  lowest_epoch      bigint NOT NULL CHECK (lowest_epoch >= 0),
  begun_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (system_identifier, timeline)
);
GRANT SELECT ON timelines TO svc_service;

-- The one of this migration has lost nothing. A server that does not tell its timeline has none.
DO $$
BEGIN
  INSERT INTO timelines (system_identifier, timeline, lowest_epoch)
  SELECT c.system_identifier, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint, 0
    FROM pg_control_system() c;
EXCEPTION WHEN undefined_function OR insufficient_privilege OR feature_not_supported THEN
  NULL;
END $$;

-- Of a subject that is made now; no cache has ever held it, but each record must be above the lowest epoch.
CREATE FUNCTION first_epoch() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, (SELECT max(t.lowest_epoch) FROM timelines t))
$$;
ALTER TABLE subjects ALTER COLUMN epoch SET DEFAULT first_epoch();

-- Says which epoch is the lowest, and first lifts all subjects if this timeline is new. Before it has returned once on a
-- timeline, no instance reads or writes there. Above what was given before: the replicated epochs and this clock, and a
-- day, because the lost ones may come from a clock that was ahead. As the tables' owner, because the service may not lock
-- a table. Takes 0.4 s for 100 000 subjects, 14 s for a million.
CREATE FUNCTION begin_timeline(of_system bigint, of_timeline bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  a_day CONSTANT bigint := 86400000000;
  lowest bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM timelines t WHERE t.system_identifier = of_system AND t.timeline = of_timeline) THEN
    -- Waits for whoever has locked a subject, and lets nobody lock one: two would wait for each other.
    LOCK TABLE subjects IN EXCLUSIVE MODE;
    IF NOT EXISTS (SELECT FROM timelines t WHERE t.system_identifier = of_system AND t.timeline = of_timeline) THEN
      SELECT greatest(coalesce(max(s.epoch), 0), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) + a_day
        INTO lowest FROM subjects s;
      INSERT INTO timelines (system_identifier, timeline, lowest_epoch) VALUES (of_system, of_timeline, lowest);
      UPDATE subjects SET epoch = lowest;
    END IF;
  END IF;
  RETURN coalesce((SELECT max(t.lowest_epoch) FROM timelines t), 0);
END $$;
REVOKE ALL ON FUNCTION begin_timeline(bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_timeline(bigint, bigint) TO svc_service;
