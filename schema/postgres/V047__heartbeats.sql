-- compatible from V037
-- Heartbeats: scheduled work tells by requests to a secret path that it ran. When what must have come by now lies here,
-- so that any instance judges what has not.
SET LOCAL lock_timeout = '500ms';

CREATE TABLE heartbeats (
  monitor_id       uuid PRIMARY KEY REFERENCES monitors ON DELETE CASCADE,
  planned_for      bigint NOT NULL DEFAULT 0,  -- the monitor's check_version that the rest was computed by
  due_at           timestamptz,                -- the first due time that nothing has settled
  started_at       timestamptz,                -- the newest start
  last_beat_at     timestamptz,
  last_duration_ms bigint,
  runs             jsonb NOT NULL DEFAULT '[]',  -- that have begun and not ended, at most 20
  deadline_at      timestamptz,                -- when it must be looked at
  beats            bigint NOT NULL DEFAULT 0   -- how many came
) WITH (fillfactor = 70);
CREATE INDEX heartbeats_due ON heartbeats (deadline_at) WHERE deadline_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON heartbeats TO svc_service;
-- Those that were made before nobody judged heartbeats.
INSERT INTO heartbeats (monitor_id, deadline_at)
SELECT id, clock_timestamp() FROM monitors WHERE type = 'heartbeat';

-- Keys, by their digests. The one without an end is shown to who may change the monitor; the others were replaced.
CREATE TABLE heartbeat_keys (
  digest     bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
  monitor_id uuid NOT NULL REFERENCES heartbeats ON DELETE CASCADE,
  sealed     bytea,                            -- as variables are, until it is replaced
  key_id     uuid,
  ends_at    timestamptz,
  CHECK ((sealed IS NULL) = (ends_at IS NOT NULL) AND (sealed IS NULL) = (key_id IS NULL))
);
CREATE UNIQUE INDEX heartbeat_keys_current ON heartbeat_keys (monitor_id) WHERE ends_at IS NULL;
CREATE INDEX heartbeat_keys_of_monitor ON heartbeat_keys (monitor_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON heartbeat_keys TO svc_service;

-- The last 1 000 of each monitor.
CREATE TABLE heartbeat_beats (
  monitor_id  uuid NOT NULL REFERENCES heartbeats ON DELETE CASCADE,
  number      bigint NOT NULL,
  at          timestamptz NOT NULL,
  signal      text NOT NULL CHECK (signal IN ('success', 'fail', 'start', 'log')),
  exit_code   smallint CHECK (exit_code BETWEEN 1 AND 255),
  run_id      uuid,
  duration_ms bigint,
  body        text CHECK (octet_length(body) <= 10240),  -- its beginning, masked
  PRIMARY KEY (monitor_id, number)
);
GRANT SELECT, INSERT, DELETE ON heartbeat_beats TO svc_service;

-- Whether anybody listens: instances say so each 5 seconds. A time in which none did is kept while it matters.
CREATE TABLE heartbeat_listening (
  one_row   boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  heard_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  deaf_from timestamptz,
  deaf_to   timestamptz,
  CHECK ((deaf_from IS NULL) = (deaf_to IS NULL))
);
INSERT INTO heartbeat_listening DEFAULT VALUES;
GRANT SELECT, UPDATE ON heartbeat_listening TO svc_service;
