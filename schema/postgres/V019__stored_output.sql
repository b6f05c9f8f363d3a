-- How much output a project has stored, and what happens to the oldest of it when that is too much.

ALTER TABLE run_output
  ADD COLUMN project_id uuid,            -- with the content; whose quota it takes from
  ADD COLUMN dropped_at timestamptz,     -- the content was taken back: the project had stored too much
  DROP CONSTRAINT run_output_whole,
  ADD CONSTRAINT run_output_whole CHECK ((stored_at IS NULL) = (size IS NULL) AND (stored_at IS NULL) = (lines IS NULL)
                                         AND (content IS NULL) = (stored_at IS NULL OR dropped_at IS NOT NULL))
    NOT VALID;

-- Bytes as they are stored, compressed. Changed by `settle_output_usage` alone.
CREATE TABLE project_output (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  bytes      bigint NOT NULL CHECK (bytes >= 0)
);

-- What changes it, in the transaction that stores or deletes: rows that nobody waits for. Settled and deleted each
-- second.
CREATE TABLE output_changes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id uuid NOT NULL,
  bytes      bigint NOT NULL
);

-- Which output of a project is the oldest.
CREATE INDEX run_output_oldest ON run_output (project_id, ended_at, run_id) WHERE content IS NOT NULL;

-- `octet_length` of a column that lies out of line and uncompressed reads its header only.
CREATE FUNCTION count_run_output() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change bigint := 0;
BEGIN
  IF TG_OP <> 'DELETE' THEN
    IF NEW.content IS NOT NULL AND NEW.project_id IS NULL THEN
      SELECT r.project_id INTO NEW.project_id FROM runs r WHERE r.id = NEW.run_id;
    END IF;
    change := coalesce(octet_length(NEW.content), 0);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    change := change - coalesce(octet_length(OLD.content), 0);
  END IF;
  IF change <> 0 THEN
    INSERT INTO output_changes (project_id, bytes)
    VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.project_id ELSE NEW.project_id END, change);
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER run_output_stored BEFORE INSERT ON run_output
  FOR EACH ROW WHEN (NEW.content IS NOT NULL) EXECUTE FUNCTION count_run_output();
CREATE TRIGGER run_output_changed BEFORE UPDATE OF content ON run_output
  FOR EACH ROW EXECUTE FUNCTION count_run_output();
CREATE TRIGGER run_output_returned BEFORE DELETE ON run_output
  FOR EACH ROW WHEN (OLD.content IS NOT NULL AND OLD.project_id IS NOT NULL) EXECUTE FUNCTION count_run_output();

-- Adds up what has changed, then drops the oldest content of projects that have stored more than `quota` (0: any) bytes
-- until they have not. One caller at a time; another one finds nothing to do. What a call drops the next one adds up
-- before it judges.
CREATE FUNCTION settle_output_usage(quota bigint, OUT project_id uuid, OUT runs bigint, OUT bytes bigint)
RETURNS SETOF record LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  settled CONSTANT int := 10000;
  dropped CONSTANT int := 200;
  changes bigint;
  over record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('settle_output_usage', 0)) THEN
    RETURN;
  END IF;
  WITH gone AS (
    DELETE FROM output_changes c WHERE c.id IN (SELECT n.id FROM output_changes n ORDER BY n.id LIMIT settled)
    RETURNING c.project_id, c.bytes
  ), sums AS (
    SELECT g.project_id, sum(g.bytes)::bigint AS bytes FROM gone g GROUP BY g.project_id
  ), kept AS (
    INSERT INTO project_output AS u (project_id, bytes)
    SELECT s.project_id, greatest(0, s.bytes) FROM sums s JOIN projects p ON p.id = s.project_id
    ON CONFLICT ON CONSTRAINT project_output_pkey
    DO UPDATE SET bytes = greatest(0, u.bytes + (SELECT s.bytes FROM sums s WHERE s.project_id = u.project_id))
  )
  SELECT count(*) INTO changes FROM gone;
  IF quota = 0 OR changes = settled THEN
    RETURN;
  END IF;
  FOR over IN SELECT u.project_id, u.bytes - quota AS surplus FROM project_output u
               WHERE u.bytes > quota ORDER BY u.project_id LIMIT 20 LOOP
    RETURN QUERY
    WITH oldest AS (
      SELECT o.run_id, octet_length(o.content) AS size,
             sum(octet_length(o.content)) OVER (ORDER BY o.ended_at, o.run_id) AS through
        FROM (SELECT r.run_id, r.ended_at, r.content FROM run_output r
               WHERE r.project_id = over.project_id AND r.content IS NOT NULL
               ORDER BY r.ended_at, r.run_id LIMIT dropped) o
    ), emptied AS (
      UPDATE run_output e SET content = NULL, dropped_at = clock_timestamp()
        FROM oldest d
       WHERE e.run_id = d.run_id AND d.through - d.size < over.surplus AND e.content IS NOT NULL
      RETURNING d.size
    )
    SELECT over.project_id, count(*), sum(m.size)::bigint FROM emptied m HAVING count(*) > 0;
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE ON project_output TO svc_service;
GRANT SELECT, INSERT, DELETE ON output_changes TO svc_service;
