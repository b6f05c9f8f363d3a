-- Each change of state writes its row in the same transaction. The service may add and read, never alter.

CREATE TABLE audit_log (
  id              uuid PRIMARY KEY,
  organization_id uuid REFERENCES organizations,
  project_id      uuid REFERENCES projects,
  action          text NOT NULL CHECK (length(action) BETWEEN 1 AND 100),
  actor_id        uuid,                -- the user; NULL for the operator's command line
  actor_name      text NOT NULL,
  actor_token_id  uuid,
  resource        text NOT NULL,
  resource_id     uuid,
  ip              text,
  user_agent      text,
  request_id      text,
  details         jsonb NOT NULL DEFAULT '{}',
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX audit_log_by_project ON audit_log (project_id, created_at DESC, id DESC);
CREATE INDEX audit_log_by_organization ON audit_log (organization_id, created_at DESC, id DESC);

GRANT SELECT, INSERT ON audit_log TO svc_service;
