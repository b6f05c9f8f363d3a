-- Words that a project sorts its tests by.

CREATE TABLE tags (
  id         uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects,
  name       text NOT NULL CONSTRAINT tags_name_form CHECK (name ~ '^[A-Za-z0-9_-]{1,40}$'),
  color      text NOT NULL CONSTRAINT tags_color_form CHECK (color ~ '^#[0-9a-f]{6}$'),
  -- The limit of 200 tags a project is this column: a slot is held by one tag.
  slot       smallint NOT NULL CONSTRAINT tags_slot_range CHECK (slot BETWEEN 1 AND 200),
  version    bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT tags_of_project UNIQUE (project_id, id),
  CONSTRAINT tags_name_unique UNIQUE (project_id, name),
  CONSTRAINT tags_slot_unique UNIQUE (project_id, slot)
);
CREATE INDEX tags_newest ON tags (project_id, created_at DESC, id DESC);

-- The composite keys keep a test from wearing another project's tag; whichever of both goes, the row goes.
CREATE TABLE test_tags (
  project_id uuid NOT NULL,
  test_id    uuid NOT NULL,
  tag_id     uuid NOT NULL,
  PRIMARY KEY (test_id, tag_id),
  CONSTRAINT test_tags_test_exists FOREIGN KEY (project_id, test_id) REFERENCES tests (project_id, id) ON DELETE CASCADE,
  CONSTRAINT test_tags_tag_exists FOREIGN KEY (project_id, tag_id) REFERENCES tags (project_id, id) ON DELETE CASCADE
);
CREATE INDEX test_tags_by_tag ON test_tags (tag_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON tags TO svc_service;
GRANT SELECT, INSERT, DELETE ON test_tags TO svc_service;
