-- compatible from V041
-- Bounds of runner tokens: 50 unrevoked and the newest 200 revoked ones of an organisation.
SET LOCAL lock_timeout = '500ms';

CREATE INDEX runner_tokens_revoked ON runner_tokens (organization_id, revoked_at, id) WHERE revoked_at IS NOT NULL;

-- Refuses the 51st unrevoked token of the organisation. Tokens that an installation already has beyond 50 stay.
CREATE FUNCTION bound_runner_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM organizations o WHERE o.id = NEW.organization_id FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM runner_tokens t
       WHERE t.organization_id = NEW.organization_id AND t.revoked_at IS NULL) > 50 THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'runner_tokens_unrevoked_bound',
                          MESSAGE = 'the organization has 50 runner tokens';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER runner_tokens_bounded AFTER INSERT ON runner_tokens
  FOR EACH ROW EXECUTE FUNCTION bound_runner_tokens();

-- Deletes the oldest revoked tokens of the organisation beyond 200, with their runners. No instance keeps what it knows of
-- a runner token, so a revoked one may go at once. Runs as the owner, because the service may delete no runner token; so it
-- can delete no unrevoked one.
CREATE FUNCTION trim_runner_tokens() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  gone uuid[];
BEGIN
  gone := ARRAY(
    SELECT t.id FROM runner_tokens t
     WHERE t.organization_id = NEW.organization_id AND t.revoked_at IS NOT NULL
     ORDER BY t.revoked_at DESC, t.id DESC OFFSET 200);
  DELETE FROM runners WHERE token_id = ANY (gone);
  DELETE FROM runner_tokens WHERE id = ANY (gone);
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION trim_runner_tokens FROM public;
CREATE TRIGGER runner_tokens_trimmed AFTER UPDATE OF revoked_at ON runner_tokens
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION trim_runner_tokens();
