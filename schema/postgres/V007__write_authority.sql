-- A token that is dead in PostgreSQL writes nothing, whatever a cache says. Each change by a token asks this in
-- its own transaction; the epoch makes the usual case one index read.

-- Why the token may not write now; NULL when it may. `roles` are those that have the operation's permission.
CREATE FUNCTION writer_refusal(writer uuid, roles text[]) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
           WHEN t.revoked_at IS NOT NULL OR j.deleted_at IS NOT NULL THEN 'token_revoked'
           WHEN NOT t.enabled THEN 'token_disabled'
           WHEN t.expires_at <= clock_timestamp() THEN 'token_expired'
           WHEN u.disabled_at IS NOT NULL THEN 'owner_disabled'
           WHEN t.owner_left_at IS NOT NULL OR om.user_id IS NULL THEN 'owner_removed'
           WHEN coalesce(nullif(om.role, 'org_member'), pm.role) IS NULL THEN 'owner_without_role'
           WHEN p.archived_at IS NOT NULL THEN 'project_archived'
           WHEN coalesce(nullif(om.role, 'org_member'), pm.role) <> ALL (roles) THEN 'permission_denied'
         END
    FROM tokens t
    JOIN users u ON u.id = t.owner_id
    JOIN projects p ON p.id = t.project_id
    LEFT JOIN jobs j ON j.id = t.job_id
    LEFT JOIN organization_members om ON om.organization_id = p.organization_id AND om.user_id = t.owner_id
    LEFT JOIN project_members pm ON pm.project_id = t.project_id AND pm.user_id = t.owner_id
   WHERE t.id = writer
$$;

-- True, or an error SV401 whose message is the code of the refusal. Without a writer (the operator) always true.
CREATE FUNCTION assert_writer(writer uuid, subject uuid, seen_epoch bigint, roles text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  why text;
BEGIN
  IF writer IS NULL OR EXISTS (SELECT FROM subjects s WHERE s.id = subject AND s.epoch = seen_epoch) THEN
    RETURN true;
  END IF;
  why := writer_refusal(writer, roles);
  IF why IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'SV401', MESSAGE = why;
  END IF;
  RETURN true;
END $$;
