-- outside a transaction: each statement by itself
-- compatible from V041
-- Sign-in: sessions, the methods of users, links, invitations, and the mails that carry secrets.

-- Columns of tables in use. Each is nullable or has a constant default, so no table is rewritten. Each table has a
-- transaction of its own: a lock on one of them never waits while another one is locked.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  ALTER TABLE users
    ADD COLUMN IF NOT EXISTS email_verified_at timestamptz,
    ADD COLUMN IF NOT EXISTS preferences jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN IF NOT EXISTS version bigint NOT NULL DEFAULT 1;
END $$;

-- The policy is NULL, or `{"signIn": "any" | "oidc", "providers": [id, ...]}`. NULL and "any" admit all sessions.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  ALTER TABLE organizations
    ADD COLUMN IF NOT EXISTS sign_in_policy jsonb,
    ADD COLUMN IF NOT EXISTS version bigint NOT NULL DEFAULT 1;
END $$;

DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  ALTER TABLE projects ADD COLUMN IF NOT EXISTS version bigint NOT NULL DEFAULT 1;
END $$;

-- `source` is the identity provider whose groups gave the role, or NULL for a role that a person gave.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  ALTER TABLE organization_members ADD COLUMN IF NOT EXISTS source text;
END $$;

DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  ALTER TABLE project_members ADD COLUMN IF NOT EXISTS source text;
END $$;

-- No foreign key: a lock on `users` would wait for every change of a user.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  ALTER TABLE runner_tokens ADD COLUMN IF NOT EXISTS created_by uuid;
END $$;

DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  ALTER TABLE audit_log ADD COLUMN IF NOT EXISTS actor_session_id uuid;
END $$;

-- A session of a browser. `digest` is the SHA-256 of the secret in its cookie. A fresh sign-in replaces the secret and
-- keeps the earlier digest, so that requests in flight are told to repeat. `method` has no list of values, so that new
-- methods need no migration. An end also moves `expires_at` back to the time of the end, so one index finds all rows
-- that are over. Activity changes no indexed column.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  CREATE TABLE IF NOT EXISTS sessions (
    id               uuid PRIMARY KEY,
    user_id          uuid NOT NULL REFERENCES users,
    digest           bytea NOT NULL CONSTRAINT sessions_digest_unique UNIQUE CHECK (octet_length(digest) = 32),
    previous_digest  bytea CHECK (octet_length(previous_digest) = 32),
    method           text NOT NULL CHECK (length(method) BETWEEN 1 AND 50),
    provider         text CHECK (length(provider) BETWEEN 1 AND 50),
    authenticated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_ip          text,
    user_agent       text,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at       timestamptz NOT NULL,
    ended_at         timestamptz,
    ended_reason     text CHECK (length(ended_reason) BETWEEN 1 AND 50),
    CONSTRAINT sessions_end_complete CHECK ((ended_at IS NULL) = (ended_reason IS NULL))
  ) WITH (fillfactor = 70);
  CREATE UNIQUE INDEX IF NOT EXISTS sessions_previous_digest_unique ON sessions (previous_digest)
    WHERE previous_digest IS NOT NULL;
  CREATE INDEX IF NOT EXISTS sessions_of_user ON sessions (user_id, created_at);
  CREATE INDEX IF NOT EXISTS sessions_by_end ON sessions (expires_at);
END $$;

-- `hash` is the text of libsodium, which contains its parameters.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  CREATE TABLE IF NOT EXISTS passwords (
    user_id    uuid PRIMARY KEY REFERENCES users,
    hash       text NOT NULL CHECK (length(hash) BETWEEN 1 AND 200),
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
END $$;

-- An account at an identity provider. A user has one identity of a provider.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  CREATE TABLE IF NOT EXISTS identities (
    user_id      uuid NOT NULL REFERENCES users,
    provider     text NOT NULL CHECK (length(provider) BETWEEN 1 AND 50),
    issuer       text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 500),
    subject      text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    email        text NOT NULL CHECK (length(email) BETWEEN 3 AND 320),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (user_id, provider),
    CONSTRAINT identities_subject_unique UNIQUE (issuer, subject)
  );
END $$;

-- A link that signs its user in: for the first time, to recover the account, or as long as `svcd dev` runs.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  CREATE TABLE IF NOT EXISTS links (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL REFERENCES users,
    kind       text NOT NULL CONSTRAINT links_kind_check CHECK (kind IN ('first', 'recovery', 'dev')),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    created_by uuid REFERENCES users
  );
  CREATE INDEX IF NOT EXISTS links_of_user ON links (user_id, id);
  CREATE INDEX IF NOT EXISTS links_by_end ON links (expires_at);
END $$;

-- An invitation into an organisation. `projects` has objects `{"project": id, "role": name}`.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  CREATE TABLE IF NOT EXISTS invitations (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    email           text NOT NULL CHECK (length(email) BETWEEN 3 AND 320),
    role            text NOT NULL CHECK (role IN ('org_owner', 'org_admin', 'org_member')),
    projects        jsonb NOT NULL DEFAULT '[]'
                    CHECK (jsonb_typeof(projects) = 'array' AND jsonb_array_length(projects) <= 50),
    invited_by      uuid NOT NULL REFERENCES users,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at      timestamptz NOT NULL,
    accepted_at     timestamptz,
    accepted_by     uuid REFERENCES users,
    revoked_at      timestamptz,
    CONSTRAINT invitations_acceptance_complete CHECK ((accepted_at IS NULL) = (accepted_by IS NULL)),
    CONSTRAINT invitations_one_end CHECK (accepted_at IS NULL OR revoked_at IS NULL)
  );
  CREATE INDEX IF NOT EXISTS invitations_of_organization ON invitations (organization_id, id);
  CREATE UNIQUE INDEX IF NOT EXISTS invitations_one_open ON invitations (organization_id, lower(email))
    WHERE accepted_at IS NULL AND revoked_at IS NULL;
  CREATE INDEX IF NOT EXISTS invitations_by_end ON invitations (expires_at);
END $$;

-- Secrets of links and invitations, as SHA-256. One parent may have several: each attempt at its mail mints one, because
-- none is stored as it is.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  CREATE TABLE IF NOT EXISTS one_time_secrets (
    digest        bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    link_id       uuid REFERENCES links ON DELETE CASCADE,
    invitation_id uuid REFERENCES invitations ON DELETE CASCADE,
    mailed        boolean NOT NULL,     -- false: a person has seen it, so it proves no mailbox
    CONSTRAINT one_time_secrets_one_parent CHECK ((link_id IS NULL) <> (invitation_id IS NULL))
  );
  CREATE INDEX IF NOT EXISTS one_time_secrets_of_link ON one_time_secrets (link_id) WHERE link_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS one_time_secrets_of_invitation ON one_time_secrets (invitation_id)
    WHERE invitation_id IS NOT NULL;
END $$;

-- Mails of the service itself. A mail in delivery has a claim, and `due_at` is the end of its lease.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  CREATE TABLE IF NOT EXISTS system_mails (
    id            uuid PRIMARY KEY,
    kind          text NOT NULL CHECK (kind IN ('invitation', 'recovery')),
    recipient     text NOT NULL CHECK (length(recipient) BETWEEN 3 AND 320),
    link_id       uuid REFERENCES links ON DELETE CASCADE,
    invitation_id uuid REFERENCES invitations ON DELETE CASCADE,
    state         text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sending', 'sent', 'failed')),
    attempt       integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    claim_id      uuid,
    due_at        timestamptz DEFAULT clock_timestamp(),
    reason        text CHECK (length(reason) <= 500),
    ended_at      timestamptz,
    CONSTRAINT system_mails_one_parent CHECK ((link_id IS NULL) <> (invitation_id IS NULL)),
    CONSTRAINT system_mails_end_complete CHECK ((ended_at IS NULL) = (state IN ('waiting', 'sending'))),
    CONSTRAINT system_mails_due_while_open CHECK ((ended_at IS NULL) = (due_at IS NOT NULL)),
    CONSTRAINT system_mails_claim_complete CHECK ((claim_id IS NULL) = (state <> 'sending'))
  );
  CREATE INDEX IF NOT EXISTS system_mails_due ON system_mails (due_at) WHERE ended_at IS NULL;
  CREATE INDEX IF NOT EXISTS system_mails_ended ON system_mails (ended_at) WHERE ended_at IS NOT NULL;
  CREATE UNIQUE INDEX IF NOT EXISTS system_mails_one_open_of_link ON system_mails (link_id) WHERE ended_at IS NULL;
  CREATE UNIQUE INDEX IF NOT EXISTS system_mails_one_open_of_invitation ON system_mails (invitation_id)
    WHERE ended_at IS NULL;
  -- For the deletion of the parent.
  CREATE INDEX IF NOT EXISTS system_mails_of_link ON system_mails (link_id) WHERE link_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS system_mails_of_invitation ON system_mails (invitation_id) WHERE invitation_id IS NOT NULL;
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON sessions, passwords, identities, links, invitations, system_mails TO svc_service;
GRANT SELECT, INSERT, DELETE ON one_time_secrets TO svc_service;

-- Ends the oldest live sessions of a user beyond 50 and returns them, and deletes the oldest ended ones beyond 50. A
-- sign-in calls this after its INSERT, and bumps the user's epoch afterwards. Requires nothing: it locks the user, so
-- that simultaneous sign-ins see each other.
CREATE OR REPLACE FUNCTION trim_sessions(for_user uuid) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM users u WHERE u.id = for_user FOR NO KEY UPDATE;
  RETURN QUERY
    UPDATE sessions s SET ended_at = m.now, ended_reason = 'surplus', expires_at = least(s.expires_at, m.now)
      FROM (SELECT clock_timestamp() AS now) m
     WHERE s.id IN (SELECT o.id FROM sessions o
                     WHERE o.user_id = for_user AND o.ended_at IS NULL AND o.expires_at > clock_timestamp()
                     ORDER BY o.created_at DESC, o.id DESC OFFSET 50)
    RETURNING s.id;
  DELETE FROM sessions s
   WHERE s.id IN (SELECT o.id FROM sessions o
                   WHERE o.user_id = for_user AND (o.ended_at IS NOT NULL OR o.expires_at <= clock_timestamp())
                   ORDER BY o.expires_at DESC, o.id DESC OFFSET 50);
END $$;

-- Deletes the oldest open links of the user beyond five.
CREATE OR REPLACE FUNCTION trim_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM users u WHERE u.id = NEW.user_id FOR NO KEY UPDATE;
  DELETE FROM links l
   WHERE l.id IN (SELECT o.id FROM links o
                   WHERE o.user_id = NEW.user_id AND o.used_at IS NULL AND o.expires_at > clock_timestamp()
                   ORDER BY o.id DESC OFFSET 5);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER links_trimmed AFTER INSERT ON links FOR EACH ROW EXECUTE FUNCTION trim_links();

-- Refuses the 201st open invitation of the organisation, and deletes the oldest closed ones beyond 500. An expired
-- invitation counts as closed.
CREATE OR REPLACE FUNCTION bound_invitations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM organizations o WHERE o.id = NEW.organization_id FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM invitations i
       WHERE i.organization_id = NEW.organization_id AND i.accepted_at IS NULL AND i.revoked_at IS NULL
         AND i.expires_at > clock_timestamp()) > 200 THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'invitations_open_bound',
                          MESSAGE = 'the organization has 200 open invitations';
  END IF;
  DELETE FROM invitations i
   WHERE i.id IN (SELECT o.id FROM invitations o
                   WHERE o.organization_id = NEW.organization_id
                     AND (o.accepted_at IS NOT NULL OR o.revoked_at IS NOT NULL OR o.expires_at <= clock_timestamp())
                   ORDER BY o.id DESC OFFSET 500);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER invitations_bounded AFTER INSERT ON invitations
  FOR EACH ROW EXECUTE FUNCTION bound_invitations();

-- Refuses the 13th secret of a link or an invitation: its mail has ten attempts.
CREATE OR REPLACE FUNCTION bound_one_time_secrets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM links l WHERE l.id = NEW.link_id FOR NO KEY UPDATE;
  PERFORM FROM invitations i WHERE i.id = NEW.invitation_id FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM one_time_secrets s WHERE s.link_id = NEW.link_id) > 12
     OR (SELECT count(*) FROM one_time_secrets s WHERE s.invitation_id = NEW.invitation_id) > 12 THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'one_time_secrets_bound',
                          MESSAGE = 'a link or an invitation has twelve secrets';
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER one_time_secrets_bounded AFTER INSERT ON one_time_secrets
  FOR EACH ROW EXECUTE FUNCTION bound_one_time_secrets();

-- Deletes up to `at_most` rows of each table that have been over for long enough, and returns their number. Each
-- instance calls this once a minute. A link is deleted 7 days, an invitation or a session 30 days after its end. Ended
-- mails are deleted after 7 days, and beyond the newest 10 000.
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
  RETURN total + deleted;
END $$;

-- True if the organisation's policy admits a session of this method and provider; never NULL.
CREATE OR REPLACE FUNCTION policy_met(policy jsonb, method text, provider text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(policy ->> 'signIn', 'any') <> 'oidc'
         OR (method = 'oidc' AND (coalesce(jsonb_array_length(policy -> 'providers'), 0) = 0
                                  OR coalesce((policy -> 'providers') ? provider, false)))
$$;

-- As in V007, but an id that is not in `tokens` may not write: before this, a session's id would have permitted
-- everything.
CREATE OR REPLACE FUNCTION writer_refusal(writer uuid, roles text[]) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
           WHEN t.id IS NULL OR t.revoked_at IS NOT NULL OR j.deleted_at IS NOT NULL THEN 'token_revoked'
           WHEN NOT t.enabled THEN 'token_disabled'
           WHEN t.expires_at <= clock_timestamp() THEN 'token_expired'
           WHEN u.disabled_at IS NOT NULL THEN 'owner_disabled'
           WHEN t.owner_left_at IS NOT NULL OR om.user_id IS NULL THEN 'owner_removed'
           WHEN coalesce(nullif(om.role, 'org_member'), pm.role) IS NULL THEN 'owner_without_role'
           WHEN p.archived_at IS NOT NULL THEN 'project_archived'
           WHEN coalesce(nullif(om.role, 'org_member'), pm.role) <> ALL (roles) THEN 'permission_denied'
         END
    FROM (SELECT writer AS id) asked
    LEFT JOIN tokens t ON t.id = asked.id
    LEFT JOIN users u ON u.id = t.owner_id
    LEFT JOIN projects p ON p.id = t.project_id
    LEFT JOIN jobs j ON j.id = t.job_id
    LEFT JOIN organization_members om ON om.organization_id = p.organization_id AND om.user_id = t.owner_id
    LEFT JOIN project_members pm ON pm.project_id = t.project_id AND pm.user_id = t.owner_id
$$;

-- Returns why the session may not write now, or NULL if it may. With `project` the write happens in this project of the
-- organisation, with only `organization` in the organisation, with neither in the user's own account. `roles` are those
-- that have the operation's permission; `secret` is the digest that the request came with.
CREATE OR REPLACE FUNCTION session_refusal(session uuid, project uuid, organization uuid, roles text[], secret bytea)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
           WHEN s.id IS NULL THEN 'session_invalid'
           WHEN s.ended_at IS NOT NULL THEN 'session_ended'
           WHEN s.expires_at <= clock_timestamp() THEN 'session_expired'
           WHEN s.previous_digest = secret THEN 'session_rotated'
           WHEN s.digest IS DISTINCT FROM secret THEN 'session_invalid'
           WHEN u.disabled_at IS NOT NULL THEN 'owner_disabled'
           WHEN project IS NULL AND organization IS NULL THEN NULL
           WHEN project IS NOT NULL
                AND (p.id IS NULL OR p.archived_at IS NOT NULL OR om.user_id IS NULL
                     OR coalesce(nullif(om.role, 'org_member'), pm.role) IS NULL) THEN 'project_not_found'
           WHEN om.user_id IS NULL THEN 'not_found'
           WHEN NOT policy_met(o.sign_in_policy, s.method, s.provider) THEN 'policy_not_met'
           WHEN CASE WHEN project IS NULL THEN om.role ELSE coalesce(nullif(om.role, 'org_member'), pm.role) END
                <> ALL (roles) THEN 'permission_denied'
         END
    FROM (SELECT session AS id) asked
    LEFT JOIN sessions s ON s.id = asked.id
    LEFT JOIN users u ON u.id = s.user_id
    LEFT JOIN projects p ON p.id = project AND p.organization_id = organization
    LEFT JOIN organizations o ON o.id = organization
    LEFT JOIN organization_members om ON om.organization_id = organization AND om.user_id = s.user_id
    LEFT JOIN project_members pm ON pm.project_id = p.id AND pm.user_id = s.user_id
$$;

-- As `assert_writer`, for a change by a session: true, or an error SV401 whose message is the code of the refusal.
CREATE OR REPLACE FUNCTION assert_session(session uuid, subject uuid, seen_epoch bigint, project uuid, organization uuid,
                                          roles text[], secret bytea)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  refusal text;
BEGIN
  IF EXISTS (SELECT FROM subjects s WHERE s.id = subject AND s.epoch = seen_epoch) THEN
    RETURN true;
  END IF;
  refusal := session_refusal(session, project, organization, roles, secret);
  IF refusal IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'SV401', MESSAGE = refusal;
  END IF;
  RETURN true;
END $$;

-- As `late_writer_refusal`, for a session: the code of the refusal is a value, because a batch of triggers continues
-- without the row. A trigger always happens in a project.
CREATE OR REPLACE FUNCTION late_session_refusal(session uuid, project uuid, organization uuid, roles text[], secret bytea)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN project IS NULL OR organization IS NULL THEN 'project_not_found'
              ELSE session_refusal(session, project, organization, roles, secret) END
$$;

-- A user's sign-in events, which belong to no organisation. The service writes the log meanwhile, so the migration builds
-- the index on each partition by itself. Partitions that the service adds later get one.
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', true);
  CREATE INDEX IF NOT EXISTS audit_log_of_user ON ONLY audit_log (actor_id, id)
    WHERE project_id IS NULL AND organization_id IS NULL;
END $$;

-- An interrupted build leaves an invalid index.
-- each
SELECT format('DROP INDEX CONCURRENTLY IF EXISTS %I', c.relname)
  FROM pg_inherits p
  JOIN pg_class t ON t.oid = p.inhrelid
  JOIN pg_index i ON i.indrelid = t.oid
  JOIN pg_class c ON c.oid = i.indexrelid
 WHERE p.inhparent = 'audit_log'::regclass AND c.relname = t.relname || '_of_user' AND NOT i.indisvalid;

-- each
SELECT format('CREATE INDEX CONCURRENTLY %I ON %I (actor_id, id) WHERE project_id IS NULL AND organization_id IS NULL',
              t.relname || '_of_user', t.relname)
  FROM pg_inherits p
  JOIN pg_class t ON t.oid = p.inhrelid
  JOIN time_partitions r ON r.name = t.relname
 WHERE p.inhparent = 'audit_log'::regclass
   AND NOT EXISTS (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                     LEFT JOIN pg_inherits a ON a.inhrelid = i.indexrelid
                    WHERE i.indrelid = t.oid
                      AND (c.relname = t.relname || '_of_user' OR a.inhparent = 'audit_log_of_user'::regclass))
 ORDER BY r.from_time;

-- Oldest first, because only the oldest partition is ever dropped, and the last attachment makes the parent's index
-- valid.
-- each
SELECT format('SET LOCAL lock_timeout = ''500ms''; ALTER INDEX audit_log_of_user ATTACH PARTITION %I', c.relname)
  FROM pg_inherits p
  JOIN pg_class t ON t.oid = p.inhrelid
  JOIN time_partitions r ON r.name = t.relname
  JOIN pg_index i ON i.indrelid = t.oid
  JOIN pg_class c ON c.oid = i.indexrelid
 WHERE p.inhparent = 'audit_log'::regclass AND c.relname = t.relname || '_of_user' AND NOT c.relispartition
 ORDER BY r.from_time;
