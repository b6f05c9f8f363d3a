-- compatible from V041
-- Bounds of mails to one address; links of one kind displace none of another kind.
SET LOCAL lock_timeout = '500ms';

-- The mails of a kind that one address takes. `recipient` is the SHA-256 of the address in lower case. Each mail moves
-- `full_at`, the time at which the budget is whole again, by its pause; the service has the numbers. A row that is missing
-- is a whole budget, so a whole one can be deleted.
CREATE TABLE system_mail_budgets (
  kind      text NOT NULL CHECK (kind IN ('invitation', 'recovery')),
  recipient bytea NOT NULL CHECK (octet_length(recipient) = 32),
  full_at   timestamptz NOT NULL,
  PRIMARY KEY (kind, recipient)
);
CREATE INDEX system_mail_budgets_full ON system_mail_budgets (full_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON system_mail_budgets TO svc_service;

-- Deletes the oldest open links of the user and of the kind beyond five, so that requests for recovery do not end the
-- link of an operator.
CREATE OR REPLACE FUNCTION trim_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM users u WHERE u.id = NEW.user_id FOR NO KEY UPDATE;
  DELETE FROM links l
   WHERE l.id IN (SELECT o.id FROM links o
                   WHERE o.user_id = NEW.user_id AND o.kind = NEW.kind AND o.used_at IS NULL
                     AND o.expires_at > clock_timestamp()
                   ORDER BY o.id DESC OFFSET 5);
  RETURN NULL;
END $$;

-- As in V064, and deletes whole budgets.
CREATE OR REPLACE FUNCTION delete_ended_accounts(at_most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  oldest_mail timestamptz;
  deleted bigint;
  total bigint := 0;
BEGIN
  DELETE FROM sessions WHERE id IN (
    SELECT s.id FROM sessions s WHERE s.expires_at < moment - interval '30 days'
     ORDER BY s.expires_at LIMIT at_most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  total := total + deleted;
  DELETE FROM links WHERE id IN (
    SELECT l.id FROM links l WHERE l.expires_at < moment - interval '7 days'
     ORDER BY l.expires_at LIMIT at_most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  total := total + deleted;
  DELETE FROM invitations WHERE id IN (
    SELECT i.id FROM invitations i WHERE i.expires_at < moment - interval '30 days'
     ORDER BY i.expires_at LIMIT at_most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  total := total + deleted;
  SELECT greatest(moment - interval '7 days', max(m.ended_at)) INTO oldest_mail FROM (
    SELECT e.ended_at FROM system_mails e WHERE e.ended_at IS NOT NULL ORDER BY e.ended_at DESC OFFSET 10000 LIMIT 1) m;
  DELETE FROM system_mails WHERE id IN (
    SELECT m.id FROM system_mails m WHERE m.ended_at <= oldest_mail
     ORDER BY m.ended_at LIMIT at_most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  total := total + deleted;
  DELETE FROM system_mail_budgets WHERE (kind, recipient) IN (
    SELECT b.kind, b.recipient FROM system_mail_budgets b WHERE b.full_at <= moment
     ORDER BY b.full_at LIMIT at_most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN total + deleted;
END $$;
