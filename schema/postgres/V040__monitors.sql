-- compatible from V037
-- Monitors: what is checked, and what its checks have made of it. What users set (`monitors`) and what checks write
-- (`monitor_status`) lie apart, so that a check changes no version.
SET LOCAL lock_timeout = '500ms';

CREATE TABLE monitors (
  id                uuid PRIMARY KEY,
  project_id        uuid NOT NULL REFERENCES projects,
  name              text NOT NULL CHECK (length(name) BETWEEN 3 AND 255),
  description       text CHECK (length(description) <= 2000),
  type              text NOT NULL CHECK (type IN ('http_request', 'website', 'ping_host', 'port_check', 'dns', 'heartbeat')),
  target            text CHECK (length(target) <= 2048),
  frequency_minutes integer NOT NULL CHECK (frequency_minutes BETWEEN 1 AND 1440),
  frequency_seconds integer CHECK (frequency_seconds BETWEEN 10 AND 86400 AND frequency_seconds % 5 = 0),
  interval_seconds  integer NOT NULL GENERATED ALWAYS AS (coalesce(frequency_seconds, frequency_minutes * 60)) STORED,
  enabled           boolean NOT NULL DEFAULT true,
  config            jsonb NOT NULL DEFAULT '{}',
  attempts_seconds  integer NOT NULL CHECK (attempts_seconds > 0),  -- what a check takes at most, with its retries
  alert_config      jsonb,
  muted_until       timestamptz,
  -- A result counts only under the version that it was checked with.
  check_version     bigint NOT NULL DEFAULT 1,
  -- Who checks it: the last byte of an id is random. `shard_of` (watch/slots.hpp) is the same.
  shard             smallint NOT NULL GENERATED ALWAYS AS (get_byte(uuid_send(id), 15) & 63) STORED,
  deleted_at        timestamptz,
  -- When something changed that whoever checks must know.
  changed_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_by        uuid NOT NULL REFERENCES users,
  version           bigint NOT NULL DEFAULT 1,
  created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (type = 'heartbeat' OR target IS NOT NULL)
);
CREATE INDEX monitors_newest ON monitors (project_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX monitors_by_name ON monitors (project_id, name, id) WHERE deleted_at IS NULL;
CREATE INDEX monitors_deleted ON monitors (project_id, created_at DESC, id DESC) WHERE deleted_at IS NOT NULL;
CREATE INDEX monitors_of_shard ON monitors (shard) WHERE enabled AND deleted_at IS NULL AND type <> 'heartbeat';
CREATE INDEX monitors_changed ON monitors (changed_at);
GRANT SELECT, INSERT, UPDATE ON monitors TO svc_service;

CREATE TABLE monitor_status (
  monitor_id     uuid PRIMARY KEY REFERENCES monitors ON DELETE CASCADE,
  verdict        text NOT NULL DEFAULT 'pending' CHECK (verdict IN ('pending', 'up', 'degraded', 'down', 'error')),
  since          timestamptz NOT NULL DEFAULT clock_timestamp(),
  reason         smallint,      -- of down and error: a number of `checks::code`
  reason_message text,
  outage_id      uuid,          -- the open one
  period_id      uuid,          -- of degraded and error
  last_ended_at  timestamptz,   -- the end of the newest outage that is over
  look_at        timestamptz    -- decide again then, even if no result came
) WITH (fillfactor = 80);
CREATE INDEX monitor_status_due ON monitor_status (look_at) WHERE look_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON monitor_status TO svc_service;

-- Monitors count for a quota, with the bytes of their configs; deleted ones stay as rows and count no more, as jobs
-- (V018).
ALTER TABLE project_usage DROP CONSTRAINT project_usage_kind_check;
ALTER TABLE project_usage ADD CONSTRAINT project_usage_kind_check
  CHECK (kind IN ('jobs', 'tests', 'variables', 'monitors'));
CREATE OR REPLACE FUNCTION count_usage_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME = 'jobs' THEN
    PERFORM change_usage(NEW.project_id, 'jobs', CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END, 0);
  ELSIF TG_TABLE_NAME = 'monitors' THEN
    PERFORM change_usage(NEW.project_id, 'monitors', (NEW.deleted_at IS NULL)::int - (OLD.deleted_at IS NULL)::int,
                         CASE WHEN NEW.deleted_at IS NULL THEN octet_length(NEW.config::text) ELSE 0 END
                         - CASE WHEN OLD.deleted_at IS NULL THEN octet_length(OLD.config::text) ELSE 0 END);
  ELSIF TG_TABLE_NAME = 'tests' THEN
    PERFORM change_usage(NEW.project_id, 'tests', 0, octet_length(NEW.script) - octet_length(OLD.script));
  ELSE
    PERFORM change_usage(NEW.project_id, 'variables', 0,
                         greatest(octet_length(NEW.sealed), 28) - greatest(octet_length(OLD.sealed), 28));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER monitors_counted_in AFTER INSERT ON monitors REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('deleted_at IS NULL', 'octet_length(config::text)');
CREATE TRIGGER monitors_counted_out AFTER DELETE ON monitors REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('deleted_at IS NULL', 'octet_length(config::text)');
CREATE TRIGGER monitors_counted_again AFTER UPDATE OF deleted_at, config ON monitors
  FOR EACH ROW WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) OR OLD.config <> NEW.config) EXECUTE FUNCTION count_usage_change();

-- What is told of them. One row for each provider and each thing to tell: the key is what keeps it from being told twice.
-- Rows stay when the monitor or the provider goes.
CREATE TABLE alerts (
  id              uuid PRIMARY KEY,
  project_id      uuid NOT NULL REFERENCES projects,
  type            text NOT NULL CHECK (type IN ('monitor_failure', 'monitor_recovery', 'monitor_degraded', 'monitor_error')),
  target_type     text NOT NULL CHECK (target_type IN ('monitor')),
  target_id       uuid NOT NULL,
  target_name     text NOT NULL,   -- as it was
  about           uuid NOT NULL,   -- the outage, or the period of degraded or error
  number          integer NOT NULL CHECK (number >= 0),  -- of a failure: its reminders count on; of a period: 1 is its end
  provider_id     uuid NOT NULL,
  provider_name   text NOT NULL,   -- as it was
  status          text NOT NULL CHECK (status IN ('pending', 'sent', 'failed', 'suppressed')),
  suppressed_by   text CHECK (suppressed_by IN ('muted', 'provider_disabled')),
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'suppressed') = (suppressed_by IS NOT NULL)),
  CONSTRAINT alerts_told_once UNIQUE (about, type, number, provider_id)
);
CREATE INDEX alerts_newest ON alerts (project_id, created_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE ON alerts TO svc_service;

CREATE TABLE outages (
  id               uuid PRIMARY KEY,
  project_id       uuid NOT NULL REFERENCES projects,
  monitor_id       uuid NOT NULL,
  started_at       timestamptz NOT NULL,
  detected_at      timestamptz NOT NULL,
  ended_at         timestamptz CHECK (ended_at >= started_at),
  end_reason       text CHECK (end_reason IN ('recovered', 'paused', 'edited', 'resumed', 'deleted')),
  cause            smallint NOT NULL,   -- a number of `checks::code`
  cause_message    text NOT NULL,
  cause_location   text NOT NULL,
  locations_down   text[] NOT NULL,
  excluded_seconds bigint NOT NULL DEFAULT 0 CHECK (excluded_seconds >= 0),  -- of one that is over: without evidence
  told_at          timestamptz,         -- when the newest failure of it was written, or released from a mute
  acknowledged_at  timestamptz,
  acknowledged_by  uuid,
  CHECK ((ended_at IS NULL) = (end_reason IS NULL))
);
CREATE UNIQUE INDEX outages_one_open ON outages (monitor_id) WHERE ended_at IS NULL;
CREATE INDEX outages_of_monitor ON outages (monitor_id, started_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE ON outages TO svc_service;
