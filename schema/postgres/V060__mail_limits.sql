-- compatible from V041
-- Numbers of mails: of a project in a day, and at an address in an hour, over all projects and instances. Days and hours are
-- those of UTC.
SET LOCAL lock_timeout = '500ms';

-- Recipients that count already, and those that a limit left out: each is decided once for all attempts at a message.
ALTER TABLE messages
  ADD COLUMN recipients_counted    text[] NOT NULL DEFAULT '{}',
  ADD COLUMN recipients_over_limit text[] NOT NULL DEFAULT '{}';

CREATE TABLE project_mails (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  day        date NOT NULL,
  mails      bigint NOT NULL    -- a mail to each of its recipients
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE ON project_mails TO svc_service;

-- A row exists only for a mail that was admitted, so the daily numbers of the projects bound the rows of an hour. Older rows
-- are deleted.
CREATE TABLE address_mails (
  address    bytea NOT NULL,       -- SHA-256 of the address in lower case, without `+tag`
  project_id uuid NOT NULL,        -- all zeroes: the sum over all projects; its lock protects the address's other rows
  hour       timestamptz NOT NULL,
  mails      bigint NOT NULL,
  PRIMARY KEY (address, project_id)
) WITH (fillfactor = 70);
CREATE INDEX address_mails_by_hour ON address_mails (hour);
GRANT SELECT, INSERT, UPDATE, DELETE ON address_mails TO svc_service;

-- Counts a mail to each recipient that did not count before, as far as the limits have room, and says for each recipient
-- whether it may be sent. Limits: 0 is none. A project gets at an address no more than what it leaves to others, so that no
-- project can take all mails of another project's address. Locks are taken in one order: message, project, addresses.
CREATE FUNCTION admit_mails(for_message uuid, for_project uuid, recipients text[], per_day bigint, per_address bigint)
RETURNS boolean[] LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  everybody constant uuid := '00000000-0000-0000-0000-000000000000';
  counted   text[] := '{}';
  left_out  text[] := '{}';
  this_hour timestamptz;
  today     date;
  used      bigint;
  total     bigint;
  mine      bigint;
  one       record;
BEGIN
  IF for_message IS NOT NULL THEN
    SELECT m.recipients_counted, m.recipients_over_limit INTO counted, left_out
      FROM messages m WHERE m.id = for_message FOR UPDATE;
    IF NOT FOUND THEN
      RETURN array_fill(false, ARRAY[cardinality(recipients)]);
    END IF;
  END IF;
  INSERT INTO project_mails AS p (project_id, day, mails)
  VALUES (for_project, (clock_timestamp() AT TIME ZONE 'UTC')::date, 0)
  ON CONFLICT (project_id) DO UPDATE
     SET day = greatest(p.day, excluded.day), mails = CASE WHEN p.day >= excluded.day THEN p.mails ELSE 0 END
  RETURNING p.day, p.mails INTO today, used;

  FOR one IN
    SELECT r AS recipient, sha256(convert_to(regexp_replace(lower(r), '\+[^@]*@', '@'), 'UTF8')) AS address
      FROM unnest(recipients) r WHERE r <> ALL (counted) AND r <> ALL (left_out) ORDER BY 2, 1
  LOOP
    IF per_day > 0 AND used >= per_day THEN
      left_out := left_out || one.recipient;
      CONTINUE;
    END IF;
    INSERT INTO address_mails AS a (address, project_id, hour, mails)
    VALUES (one.address, everybody, date_trunc('hour', clock_timestamp(), 'UTC'), 0)
    ON CONFLICT (address, project_id) DO UPDATE
       SET hour = greatest(a.hour, excluded.hour), mails = CASE WHEN a.hour >= excluded.hour THEN a.mails ELSE 0 END
    RETURNING a.hour, a.mails INTO this_hour, total;
    SELECT coalesce(max(a.mails), 0) INTO mine FROM address_mails a
     WHERE a.address = one.address AND a.project_id = for_project AND a.hour = this_hour;
    IF per_address > 0 AND mine >= per_address - total THEN
      left_out := left_out || one.recipient;
      CONTINUE;
    END IF;
    UPDATE address_mails a SET mails = total + 1 WHERE a.address = one.address AND a.project_id = everybody;
    INSERT INTO address_mails AS a (address, project_id, hour, mails)
    VALUES (one.address, for_project, this_hour, 1)
    ON CONFLICT (address, project_id) DO UPDATE SET hour = excluded.hour, mails = mine + 1;
    used := used + 1;
    counted := counted || one.recipient;
  END LOOP;

  UPDATE project_mails p SET mails = used WHERE p.project_id = for_project AND p.mails <> used;
  UPDATE messages m SET recipients_counted = counted, recipients_over_limit = left_out WHERE m.id = for_message;
  RETURN ARRAY(SELECT r <> ALL (left_out) FROM unnest(recipients) WITH ORDINALITY AS u(r, n) ORDER BY n);
END $$;
