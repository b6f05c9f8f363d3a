-- compatible from V037
-- Secrets of a monitor's config (passwords, tokens, values of headers), apart from the config, which shows masks in their
-- places.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE monitors
  ADD COLUMN sealed bytea,                    -- nonce, ciphertext and tag of {JSON pointer: secret}
  ADD COLUMN key_id uuid,
  ADD CONSTRAINT monitors_key FOREIGN KEY (project_id, key_id) REFERENCES project_keys (project_id, key_id),
  ADD CONSTRAINT monitors_sealed_complete CHECK ((sealed IS NULL) = (key_id IS NULL));
