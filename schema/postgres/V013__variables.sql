-- What scripts are given. Every value is sealed, secret or not: one that becomes a secret was never readable here.

CREATE TABLE variables (
  id          uuid PRIMARY KEY,
  project_id  uuid NOT NULL REFERENCES projects,
  key         text NOT NULL CONSTRAINT variables_key_form CHECK (key ~ '^[A-Z][A-Z0-9_]{0,63}$'),
  sealed      bytea NOT NULL,               -- nonce, ciphertext and tag of the value
  key_id      uuid NOT NULL,
  is_secret   boolean NOT NULL,
  description text CHECK (length(description) <= 300),
  version     bigint NOT NULL DEFAULT 1,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT variables_key_unique UNIQUE (project_id, key),
  CONSTRAINT variables_data_key FOREIGN KEY (project_id, key_id) REFERENCES project_keys (project_id, key_id)
);
CREATE INDEX variables_newest ON variables (project_id, created_at DESC, id DESC);

GRANT SELECT, INSERT, UPDATE, DELETE ON variables TO svc_service;

-- What a rotation of the master key looks for: data keys that another one wraps.
CREATE INDEX project_keys_by_master ON project_keys (master_key_id, project_id);
