-- Credentials. CLI and test tokens belong to a project, trigger keys to a job; revoked ones stay as
-- tombstones, so that their secret is known to be dead and never works again.

CREATE TABLE tokens (
  id            uuid PRIMARY KEY,
  kind          text NOT NULL CHECK (kind IN ('cli', 'test', 'trigger', 'legacy_trigger')),
  project_id    uuid NOT NULL REFERENCES projects,
  job_id        uuid,
  owner_id      uuid NOT NULL REFERENCES users,
  created_by    uuid NOT NULL REFERENCES users,
  name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  start         text NOT NULL CHECK (length(start) BETWEEN 1 AND 32),
  -- The limit of 20 tokens a project and 10 keys a job is this column: a slot is held by one live token.
  slot          smallint NOT NULL,
  enabled       boolean NOT NULL DEFAULT true,
  disabled_by   uuid REFERENCES users,
  owner_left_at timestamptz,
  expires_at    timestamptz,
  revoked_at    timestamptz,
  rate_limit    integer CHECK (rate_limit BETWEEN 1 AND 100000),
  rate_window   integer CHECK (rate_window BETWEEN 1 AND 86400),
  allowed_cidrs text[],
  version       bigint NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT tokens_job_exists FOREIGN KEY (project_id, job_id) REFERENCES jobs (project_id, id),
  CONSTRAINT tokens_kind_fits CHECK ((kind IN ('cli', 'test')) = (job_id IS NULL)),
  CONSTRAINT tokens_slot_range CHECK (slot BETWEEN 1 AND CASE WHEN job_id IS NULL THEN 20 ELSE 10 END),
  CONSTRAINT tokens_rate_complete CHECK ((rate_limit IS NULL) = (rate_window IS NULL))
);
CREATE UNIQUE INDEX tokens_project_slot_unique ON tokens (project_id, slot)
  WHERE job_id IS NULL AND revoked_at IS NULL;
CREATE UNIQUE INDEX tokens_job_slot_unique ON tokens (job_id, slot) WHERE job_id IS NOT NULL AND revoked_at IS NULL;
CREATE UNIQUE INDEX tokens_project_name_unique ON tokens (project_id, name)
  WHERE job_id IS NULL AND revoked_at IS NULL;
CREATE UNIQUE INDEX tokens_job_name_unique ON tokens (job_id, name) WHERE job_id IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX tokens_of_project ON tokens (project_id, created_at, id) WHERE job_id IS NULL AND revoked_at IS NULL;
CREATE INDEX tokens_of_job ON tokens (job_id, created_at, id) WHERE job_id IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX tokens_of_owner ON tokens (owner_id) WHERE revoked_at IS NULL;

-- The index that authenticates: SHA-256 of the whole token. Both stored spellings of older systems are
-- spellings of these 32 bytes.
CREATE TABLE token_secrets (
  digest      bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
  token_id    uuid NOT NULL REFERENCES tokens,
  state       text NOT NULL CHECK (state IN ('current', 'pending', 'previous', 'dead')),
  start       text NOT NULL,
  valid_until timestamptz,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX token_secrets_one_of_a_state ON token_secrets (token_id, state) WHERE state <> 'dead';
CREATE INDEX token_secrets_by_token ON token_secrets (token_id);

-- Kept apart from the token: it is written in batches, often, and changes no version.
CREATE TABLE token_last_use (
  token_id uuid PRIMARY KEY REFERENCES tokens,
  used_at  timestamptz NOT NULL,
  ip       text
);

GRANT SELECT, INSERT, UPDATE ON tokens, token_secrets, token_last_use TO svc_service;
