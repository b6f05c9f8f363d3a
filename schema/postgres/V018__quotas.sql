-- What a project holds of the things that people make, so that a quota is one row's number and not a count.

CREATE TABLE project_usage (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  kind       text NOT NULL CHECK (kind IN ('jobs', 'tests', 'variables')),
  used       bigint NOT NULL CONSTRAINT project_usage_counted CHECK (used >= 0 AND bytes >= 0),
  bytes      bigint NOT NULL,   -- of scripts; of the values of variables
  PRIMARY KEY (project_id, kind)
) WITH (fillfactor = 50);
GRANT SELECT ON project_usage TO svc_service;

CREATE FUNCTION change_usage(project uuid, what text, more bigint, more_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE project_usage u SET used = u.used + more, bytes = u.bytes + more_bytes
   WHERE u.project_id = project AND u.kind = what;
  IF NOT FOUND THEN
    INSERT INTO project_usage AS u (project_id, kind, used, bytes) VALUES (project, what, more, more_bytes)
    ON CONFLICT (project_id, kind) DO UPDATE SET used = u.used + excluded.used, bytes = u.bytes + excluded.bytes;
  END IF;
END $$;

-- Rows are counted by the database, whoever writes them, under the lock of the project's one row of their kind: it is
-- held until COMMIT, so whoever reads the row behind their own change reads the truth. The functions run as the owner,
-- because the service may only read the numbers. Arguments: what counts, and the bytes of it.
CREATE FUNCTION count_usage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE format('SELECT change_usage(t.project_id, %1$L, %2$s * t.used, %2$s * t.bytes) FROM ('
                 'SELECT project_id, count(*) AS used, coalesce(sum(%4$s), 0)::bigint AS bytes'
                 '  FROM touched WHERE %3$s GROUP BY project_id ORDER BY project_id) t',
                 TG_TABLE_NAME, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END, TG_ARGV[0], TG_ARGV[1]);
  RETURN NULL;
END $$;

CREATE FUNCTION count_usage_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME = 'jobs' THEN
    PERFORM change_usage(NEW.project_id, 'jobs', CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END, 0);
  ELSIF TG_TABLE_NAME = 'tests' THEN
    PERFORM change_usage(NEW.project_id, 'tests', 0, octet_length(NEW.script) - octet_length(OLD.script));
  ELSE
    PERFORM change_usage(NEW.project_id, 'variables', 0,
                         greatest(octet_length(NEW.sealed), 28) - greatest(octet_length(OLD.sealed), 28));
  END IF;
  RETURN NULL;
END $$;

-- Deleted jobs stay as rows and count no more. A sealed value has 28 bytes beside the value (nonce and tag), one that is
-- shorter is damaged. Neither length reads what lies out of line.
CREATE TRIGGER jobs_counted_in AFTER INSERT ON jobs REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('deleted_at IS NULL', '0');
CREATE TRIGGER jobs_counted_out AFTER DELETE ON jobs REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('deleted_at IS NULL', '0');
CREATE TRIGGER jobs_counted_again AFTER UPDATE OF deleted_at ON jobs
  FOR EACH ROW WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)) EXECUTE FUNCTION count_usage_change();

CREATE TRIGGER tests_counted_in AFTER INSERT ON tests REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('true', 'octet_length(script)');
CREATE TRIGGER tests_counted_out AFTER DELETE ON tests REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('true', 'octet_length(script)');
CREATE TRIGGER tests_counted_again AFTER UPDATE OF script ON tests
  FOR EACH ROW WHEN (octet_length(OLD.script) <> octet_length(NEW.script)) EXECUTE FUNCTION count_usage_change();

CREATE TRIGGER variables_counted_in AFTER INSERT ON variables REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('true', 'greatest(octet_length(sealed) - 28, 0)');
CREATE TRIGGER variables_counted_out AFTER DELETE ON variables REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('true', 'greatest(octet_length(sealed) - 28, 0)');
CREATE TRIGGER variables_counted_again AFTER UPDATE OF sealed ON variables
  FOR EACH ROW WHEN (octet_length(OLD.sealed) <> octet_length(NEW.sealed)) EXECUTE FUNCTION count_usage_change();

-- What is there: CREATE TRIGGER holds off all writers of the tables until COMMIT, so nothing is missed or counted twice.
INSERT INTO project_usage (project_id, kind, used, bytes)
SELECT project_id, 'jobs', count(*), 0 FROM jobs WHERE deleted_at IS NULL GROUP BY project_id
UNION ALL
SELECT project_id, 'tests', count(*), sum(octet_length(script)) FROM tests GROUP BY project_id
UNION ALL
SELECT project_id, 'variables', count(*), sum(greatest(octet_length(sealed) - 28, 0)) FROM variables GROUP BY project_id;

-- Ends the transaction, as a constraint does, when the project holds more than this; 0: any number. Stands behind the
-- statement that made it grow, in the same transaction: until COMMIT nobody else adds to the row.
CREATE FUNCTION assert_quota(project uuid, what text, most bigint, most_bytes bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  held project_usage;
BEGIN
  SELECT u.* INTO held FROM project_usage u WHERE u.project_id = project AND u.kind = what;
  IF most > 0 AND held.used > most THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = what || '_quota',
                          MESSAGE = 'the project holds more ' || what || ' than its quota';
  END IF;
  IF most_bytes > 0 AND held.bytes > most_bytes THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = what || '_bytes_quota',
                          MESSAGE = 'the project''s ' || what || ' are larger than its quota';
  END IF;
  RETURN true;
END $$;

-- How many runs of a project are queued, none counted beyond `most`. How many there are is what the planner does not
-- know: it must not read all runs to find out that they are few.
CREATE FUNCTION queued_runs(project uuid, most bigint) RETURNS bigint LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN (SELECT count(*) FROM (
    SELECT FROM runs r WHERE r.project_id = project AND r.status = 'queued' LIMIT most) few);
END $$;
