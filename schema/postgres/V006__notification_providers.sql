-- Where results are told. Secrets of `config` are sealed; the rest is plain JSON.

-- One data key for each project, wrapped by the operator's master key.
CREATE TABLE project_keys (
  project_id    uuid NOT NULL REFERENCES projects,
  key_id        uuid NOT NULL,
  master_key_id text NOT NULL,
  wrapped       bytea NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (project_id, key_id)
);
CREATE UNIQUE INDEX project_keys_one_each ON project_keys (project_id);

CREATE TABLE notification_providers (
  id           uuid PRIMARY KEY,
  project_id   uuid NOT NULL REFERENCES projects,
  name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  type         text NOT NULL CHECK (type IN ('email', 'slack', 'webhook', 'telegram', 'discord', 'teams')),
  enabled      boolean NOT NULL DEFAULT true,
  config       jsonb NOT NULL,              -- as it is shown: secrets masked
  sealed       bytea,                       -- nonce, ciphertext and tag of {JSON pointer: secret}
  key_id       uuid,
  last_used_at timestamptz,
  version      bigint NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT notification_providers_key FOREIGN KEY (project_id, key_id) REFERENCES project_keys (project_id, key_id),
  CONSTRAINT notification_providers_sealed_complete CHECK ((sealed IS NULL) = (key_id IS NULL))
);
CREATE INDEX notification_providers_newest ON notification_providers (project_id, created_at DESC, id DESC);

GRANT SELECT, INSERT, UPDATE ON project_keys TO svc_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON notification_providers TO svc_service;
