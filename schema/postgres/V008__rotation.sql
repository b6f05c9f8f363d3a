-- Rotation: what the first use of a pending secret does to the secret before it, and writes by a dead secret.

-- Chosen when the pending secret is made: true ends the one before it at the first use, false leaves it its
-- `valid_until`.
ALTER TABLE token_secrets ADD COLUMN ends_previous boolean NOT NULL DEFAULT false;

-- As the older `assert_writer` (instances of the version before still call that one), and the secret that the
-- request came with must be alive, too: after a rotation the token is good, but not every secret of it.
CREATE FUNCTION assert_writer(writer uuid, subject uuid, seen_epoch bigint, roles text[], secret bytea)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  why text;
BEGIN
  IF writer IS NULL OR EXISTS (SELECT FROM subjects s WHERE s.id = subject AND s.epoch = seen_epoch) THEN
    RETURN true;
  END IF;
  why := writer_refusal(writer, roles);
  -- A revoked token's secrets are all dead; that it was revoked says more.
  IF why IS DISTINCT FROM 'token_revoked' AND EXISTS (
       SELECT FROM token_secrets s
        WHERE s.digest = secret AND (s.state = 'dead' OR s.valid_until <= clock_timestamp())) THEN
    why := 'secret_rotated';
  END IF;
  IF why IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'SV401', MESSAGE = why;
  END IF;
  RETURN true;
END $$;
