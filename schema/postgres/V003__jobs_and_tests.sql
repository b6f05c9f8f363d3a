-- What can be run: tests, and jobs that run them in order.

CREATE TABLE tests (
  id          uuid PRIMARY KEY,
  project_id  uuid NOT NULL REFERENCES projects,
  title       text NOT NULL CHECK (length(title) BETWEEN 1 AND 255),
  description text,
  type        text NOT NULL CHECK (type IN ('browser', 'api', 'database', 'custom', 'performance', 'command')),
  priority    text NOT NULL CHECK (priority IN ('low', 'medium', 'high')),
  script      text NOT NULL CHECK (octet_length(script) <= 5 * 1024 * 1024),
  version     bigint NOT NULL DEFAULT 1,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT tests_of_project UNIQUE (project_id, id)
);
CREATE INDEX tests_newest ON tests (project_id, created_at DESC, id DESC);

CREATE TABLE jobs (
  id                  uuid PRIMARY KEY,
  project_id          uuid NOT NULL REFERENCES projects,
  name                text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  description         text,
  job_type            text NOT NULL CHECK (job_type IN ('playwright', 'k6', 'command')),
  cron_schedule       text,
  time_zone           text NOT NULL DEFAULT 'UTC',
  enabled             boolean NOT NULL DEFAULT true,
  timeout_seconds     integer NOT NULL DEFAULT 3600 CHECK (timeout_seconds BETWEEN 1 AND 86400),
  max_concurrent_runs integer CHECK (max_concurrent_runs > 0),
  parameters          jsonb NOT NULL DEFAULT '[]',
  alert_config        jsonb,
  next_run_at         timestamptz,
  created_by          uuid NOT NULL REFERENCES users,
  deleted_at          timestamptz,
  version             bigint NOT NULL DEFAULT 1,
  created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT jobs_of_project UNIQUE (project_id, id)
);
CREATE INDEX jobs_newest ON jobs (project_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX jobs_by_name ON jobs (project_id, name, id) WHERE deleted_at IS NULL;

-- The composite keys keep a job from running another project's test.
CREATE TABLE job_tests (
  project_id uuid NOT NULL,
  job_id     uuid NOT NULL,
  test_id    uuid NOT NULL,
  position   integer NOT NULL CHECK (position BETWEEN 0 AND 99),
  PRIMARY KEY (job_id, position),
  CONSTRAINT job_tests_no_duplicates UNIQUE (job_id, test_id),
  FOREIGN KEY (project_id, job_id) REFERENCES jobs (project_id, id),
  CONSTRAINT job_tests_test_exists FOREIGN KEY (project_id, test_id) REFERENCES tests (project_id, id)
);
CREATE INDEX job_tests_by_test ON job_tests (test_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON tests, job_tests TO svc_service;
GRANT SELECT, INSERT, UPDATE ON jobs TO svc_service;
