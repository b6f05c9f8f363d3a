-- compatible from V037
-- Tags of monitors, as of tests (V012).
SET LOCAL lock_timeout = '500ms';

ALTER TABLE monitors ADD CONSTRAINT monitors_of_project UNIQUE (project_id, id);

-- The composite keys keep a monitor from wearing another project's tag; whichever of both goes, the row goes.
CREATE TABLE monitor_tags (
  project_id uuid NOT NULL,
  monitor_id uuid NOT NULL,
  tag_id     uuid NOT NULL,
  PRIMARY KEY (monitor_id, tag_id),
  CONSTRAINT monitor_tags_monitor_exists FOREIGN KEY (project_id, monitor_id)
    REFERENCES monitors (project_id, id) ON DELETE CASCADE,
  CONSTRAINT monitor_tags_tag_exists FOREIGN KEY (project_id, tag_id)
    REFERENCES tags (project_id, id) ON DELETE CASCADE
);
CREATE INDEX monitor_tags_by_tag ON monitor_tags (tag_id);
GRANT SELECT, INSERT, DELETE ON monitor_tags TO svc_service;
