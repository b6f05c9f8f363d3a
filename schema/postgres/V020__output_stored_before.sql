-- What was stored before V019 counted. By itself, so that the table is locked only for V019's moment: runs end meanwhile,
-- and what is stored or deleted meanwhile is counted by the triggers.
WITH filled AS (
  UPDATE run_output o SET project_id = r.project_id
    FROM runs r WHERE r.id = o.run_id AND o.content IS NOT NULL AND o.project_id IS NULL
  RETURNING o.project_id, octet_length(o.content) AS bytes
)
INSERT INTO output_changes (project_id, bytes) SELECT project_id, sum(bytes) FROM filled GROUP BY project_id;
ALTER TABLE run_output VALIDATE CONSTRAINT run_output_whole;
