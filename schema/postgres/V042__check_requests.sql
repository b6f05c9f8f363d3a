-- compatible from V037
-- Checks out of turn: a user asks for one now, or a failure asks for the opinion of others. Whoever holds the monitor's
-- shard makes it; its result counts only while the request is open.
SET LOCAL lock_timeout = '500ms';

CREATE TABLE check_requests (
  id           uuid PRIMARY KEY,
  monitor_id   uuid NOT NULL REFERENCES monitors ON DELETE CASCADE,
  location_id  uuid NOT NULL,
  shard        smallint NOT NULL CHECK (shard BETWEEN 0 AND 63),  -- the monitor's
  kind         text NOT NULL CHECK (kind IN ('confirm', 'manual')),
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When it was answered, or found to be without an answer.
  closed_at    timestamptz,
  result       bytea,                                             -- `checks::packed` of this one; NULL: there is none
  details      text CHECK (octet_length(details) <= 8192)         -- of one that did not end well
);
-- Who asks while another one waits gets the same answer; holders look through it for what is open, which is little.
CREATE UNIQUE INDEX check_requests_one_open ON check_requests (monitor_id, location_id) WHERE closed_at IS NULL;
-- For the end of a monitor, with which its requests go.
CREATE INDEX check_requests_of_monitor ON check_requests (monitor_id);
CREATE INDEX check_requests_old ON check_requests (requested_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON check_requests TO svc_service;
