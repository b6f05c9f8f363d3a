-- compatible from V041
-- Alerts on their way to providers: which message tells what, and how far it is. A message is written as being sent before
-- its first byte leaves, and keeps its id in every attempt.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE notification_providers
  ADD COLUMN group_seconds integer CHECK (group_seconds BETWEEN 0 AND 300),   -- NULL: as usual for its type
  ADD COLUMN rate_per_minute integer CHECK (rate_per_minute BETWEEN 1 AND 600),
  -- What came of the newest attempt.
  ADD COLUMN health text NOT NULL DEFAULT 'unknown' CHECK (health IN ('unknown', 'ok', 'failing')),
  -- The newest failure; stays when a later attempt is taken.
  ADD COLUMN last_error_at timestamptz,
  ADD COLUMN last_error_reason text,
  ADD COLUMN last_error_status integer;

-- What came of the message that tells an alert. Without a message a pending alert waits for its provider's turn.
ALTER TABLE alerts
  DROP CONSTRAINT alerts_type_check,
  ADD CONSTRAINT alerts_type_check CHECK (type IN ('monitor_failure', 'monitor_recovery', 'monitor_degraded',
                                                   'monitor_error', 'provider_failing')),
  DROP CONSTRAINT alerts_target_type_check,
  ADD CONSTRAINT alerts_target_type_check CHECK (target_type IN ('monitor', 'provider')),
  ADD COLUMN error_message text,    -- why, where no outage tells it
  ADD COLUMN message_id uuid,
  ADD COLUMN grouped boolean NOT NULL DEFAULT false,
  ADD COLUMN attempts integer NOT NULL DEFAULT 0,
  ADD COLUMN maybe_repeated boolean NOT NULL DEFAULT false,
  ADD COLUMN last_attempt_at timestamptz,
  ADD COLUMN next_attempt_at timestamptz,
  ADD COLUMN sent_at timestamptz,
  ADD COLUMN error_reason text,
  ADD COLUMN error_status integer;
CREATE INDEX alerts_unsent ON alerts (provider_id, created_at, id) WHERE status = 'pending' AND message_id IS NULL;
CREATE INDEX alerts_by_age ON alerts (created_at);
CREATE INDEX alerts_of_message ON alerts (message_id) WHERE message_id IS NOT NULL;
GRANT DELETE ON alerts TO svc_service;

CREATE TABLE messages (
  id              uuid PRIMARY KEY,
  project_id      uuid NOT NULL REFERENCES projects,
  provider_id     uuid NOT NULL,
  provider_type   text NOT NULL,
  state           text NOT NULL CHECK (state IN ('waiting', 'sending', 'sent', 'dead')),
  claim_id        uuid NOT NULL,       -- of the newest attempt, whose end counts
  attempt         integer NOT NULL DEFAULT 1,
  uncertain       boolean NOT NULL DEFAULT false,   -- an attempt may have been taken: what it says stays
  -- Of a mail's recipients those that are settled, and are not asked again.
  recipients_taken   text[] NOT NULL DEFAULT '{}',
  recipients_refused text[] NOT NULL DEFAULT '{}',
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at        timestamptz,
  CHECK ((state IN ('sent', 'dead')) = (ended_at IS NOT NULL))
);
CREATE UNIQUE INDEX messages_one_under_way ON messages (provider_id) WHERE state IN ('waiting', 'sending');
CREATE INDEX messages_ended ON messages (ended_at) WHERE ended_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON messages TO svc_service;

-- A row for each provider that was ever told something: who locks it acts for the provider in the whole fleet.
CREATE TABLE provider_queue (
  provider_id uuid PRIMARY KEY,
  due_at      timestamptz,    -- look at it then: the end of a pause, or of the lease of a message that is being sent
  next_start  timestamptz NOT NULL DEFAULT '-infinity',   -- no message begins earlier
  quiet_from  timestamptz NOT NULL DEFAULT '-infinity'    -- alerts of before waited for another message, and go together
) WITH (fillfactor = 70);
CREATE INDEX provider_queue_due ON provider_queue (due_at) WHERE due_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON provider_queue TO svc_service;
