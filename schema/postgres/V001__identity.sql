-- Who exists: organisations, projects, users, memberships, and the epoch of each subject.

-- The service logs in as a member of this role; migrations run as the owner of the tables.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'svc_service') THEN
    CREATE ROLE svc_service NOLOGIN;
  END IF;
END $$;

CREATE TABLE organizations (
  id         uuid PRIMARY KEY,
  slug       text NOT NULL CONSTRAINT organizations_slug_unique UNIQUE
             CONSTRAINT organizations_slug_form CHECK (slug ~ '^[a-z0-9-]{1,63}$'),
  name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE projects (
  id              uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  slug            text NOT NULL CONSTRAINT projects_slug_form CHECK (slug ~ '^[a-z0-9-]{1,63}$'),
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  archived_at     timestamptz,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT projects_slug_unique UNIQUE (organization_id, slug)
);

CREATE TABLE users (
  id          uuid PRIMARY KEY,
  email       text NOT NULL CHECK (length(email) BETWEEN 3 AND 320),
  name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  disabled_at timestamptz,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX users_email_unique ON users (lower(email));

CREATE TABLE organization_members (
  organization_id uuid NOT NULL REFERENCES organizations,
  user_id         uuid NOT NULL REFERENCES users,
  role            text NOT NULL CHECK (role IN ('org_owner', 'org_admin', 'org_member')),
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX organization_members_by_user ON organization_members (user_id);

CREATE TABLE project_members (
  project_id uuid NOT NULL REFERENCES projects,
  user_id    uuid NOT NULL REFERENCES users,
  role       text NOT NULL CHECK (role IN ('project_admin', 'project_editor', 'project_viewer')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (project_id, user_id)
);
CREATE INDEX project_members_by_user ON project_members (user_id);

-- A subject is a user (for CLI tokens) or a trigger key. Its epoch grows with each change that may end or
-- alter what its tokens can do; Redis holds the same number, and a cached record is good only under it.
CREATE TABLE subjects (
  id    uuid PRIMARY KEY,
  epoch bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
);

-- What must still reach Redis. A row is written with each bump, in the same transaction.
CREATE TABLE subject_outbox (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ids          uuid[] NOT NULL,
  epochs       bigint[] NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  delivered_at timestamptz,
  CHECK (cardinality(ids) = cardinality(epochs) AND cardinality(ids) > 0)
);
CREATE INDEX subject_outbox_recent ON subject_outbox (created_at);
CREATE INDEX subject_outbox_undelivered ON subject_outbox (id) WHERE delivered_at IS NULL;

-- Raises the epochs of `touched` and writes the outbox row. Call it in a statement behind the one that made
-- the change, or subjects created meanwhile are missed. Locks in id order, so that two changes cannot
-- deadlock. The clock keeps numbers unused even if the database was restored to the past.
CREATE FUNCTION bump_subjects(touched uuid[]) RETURNS TABLE (subject_id uuid, subject_epoch bigint)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM subjects s WHERE s.id = ANY (touched) ORDER BY s.id FOR UPDATE;
  UPDATE subjects s
     SET epoch = greatest(s.epoch + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
   WHERE s.id = ANY (touched);
  INSERT INTO subject_outbox (ids, epochs)
  SELECT array_agg(s.id ORDER BY s.id), array_agg(s.epoch ORDER BY s.id)
    FROM subjects s WHERE s.id = ANY (touched)
  HAVING count(*) > 0;
  RETURN QUERY SELECT s.id, s.epoch FROM subjects s WHERE s.id = ANY (touched) ORDER BY s.id;
END $$;

GRANT USAGE ON SCHEMA public TO svc_service;
GRANT SELECT, INSERT, UPDATE ON organizations, projects, users, subjects, subject_outbox TO svc_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON organization_members, project_members TO svc_service;
