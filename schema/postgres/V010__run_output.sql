-- What an ended run has printed. The row is made in the transaction that ends the run, so that no crash loses the
-- duty; its content is moved here from Redis soon after, once.

CREATE TABLE run_output (
  run_id       uuid PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  ended_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  moving_until timestamptz NOT NULL DEFAULT '-infinity',   -- an instance moves it until then
  content      bytea,                                      -- zlib (RFC 1950); NULL: still in Redis
  size         bigint CHECK (size >= 0),                   -- of the content, inflated
  lines        bigint CHECK (lines >= 0),
  incomplete   boolean NOT NULL DEFAULT false,             -- Redis had lost a part
  stored_at    timestamptz,
  CONSTRAINT run_output_whole CHECK ((stored_at IS NULL) = (content IS NULL) AND (content IS NULL) = (size IS NULL)
                                     AND (content IS NULL) = (lines IS NULL))
);
ALTER TABLE run_output ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX run_output_to_move ON run_output (ended_at) WHERE stored_at IS NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON run_output TO svc_service;
