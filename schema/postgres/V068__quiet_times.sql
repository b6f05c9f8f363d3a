-- compatible from V067
-- Maintenance windows, and the dependencies of monitors on other monitors. Both hold alerts back.
SET LOCAL lock_timeout = '500ms';

-- A monitor depends on its parents. The composite keys keep a monitor from depending on another project's monitor. The
-- limit of ten parents is the column `slot`.
CREATE TABLE monitor_dependencies (
  project_id uuid NOT NULL,
  monitor_id uuid NOT NULL,
  parent_id  uuid NOT NULL,
  slot       smallint NOT NULL CONSTRAINT monitor_dependencies_slot_range CHECK (slot BETWEEN 1 AND 10),
  PRIMARY KEY (monitor_id, parent_id),
  CONSTRAINT monitor_dependencies_slot_unique UNIQUE (monitor_id, slot),
  CONSTRAINT monitor_dependencies_no_self CHECK (monitor_id <> parent_id),
  CONSTRAINT monitor_dependencies_monitor_exists FOREIGN KEY (project_id, monitor_id)
    REFERENCES monitors (project_id, id) ON DELETE CASCADE,
  CONSTRAINT monitor_dependencies_parent_exists FOREIGN KEY (project_id, parent_id)
    REFERENCES monitors (project_id, id) ON DELETE CASCADE
);
CREATE INDEX monitor_dependencies_of_parent ON monitor_dependencies (parent_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON monitor_dependencies TO svc_service;

-- A rule for planned work: either one interval, or starts by a cron schedule in a time zone.
CREATE TABLE maintenance_windows (
  id                  uuid PRIMARY KEY,
  project_id          uuid NOT NULL REFERENCES projects,
  name                text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  description         text CHECK (length(description) <= 2000),
  all_monitors        boolean NOT NULL DEFAULT false,  -- also of monitors that are created later
  starts_at           timestamptz,
  ends_at             timestamptz,
  cron                text CHECK (length(cron) <= 255),
  time_zone           text CHECK (length(time_zone) <= 64),
  duration_minutes    integer CHECK (duration_minutes BETWEEN 1 AND 1440),
  first_at            timestamptz,  -- no occurrence starts earlier; NULL: none before the creation
  until_at            timestamptz,  -- no occurrence starts then or later; NULL: without end
  exclude_from_uptime boolean NOT NULL DEFAULT true,
  -- Of a recurring window: all starts up to this time have rows, or were left out.
  planned_until       timestamptz,
  -- Of a recurring window: the service computes its occurrences again then.
  extend_at           timestamptz,
  -- The end of the last occurrence; NULL while others may follow. A window is finished from then on.
  over_at             timestamptz,
  -- The limit of 100 unfinished windows of a project is this column. Finished windows give their slot back.
  slot                smallint CONSTRAINT maintenance_windows_slot_range CHECK (slot BETWEEN 1 AND 100),
  created_by          uuid NOT NULL REFERENCES users,
  version             bigint NOT NULL DEFAULT 1,
  created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT maintenance_windows_of_project UNIQUE (project_id, id),
  CONSTRAINT maintenance_windows_slot_unique UNIQUE (project_id, slot),
  CONSTRAINT maintenance_windows_one_rule CHECK (
    (num_nulls(starts_at, ends_at) = 0
     AND num_nonnulls(cron, time_zone, duration_minutes, first_at, until_at, planned_until, extend_at) = 0
     AND ends_at > starts_at AND over_at = ends_at)
    OR (num_nonnulls(starts_at, ends_at) = 0
        AND num_nulls(cron, time_zone, duration_minutes, planned_until, extend_at) = 0)),
  CHECK (slot IS NOT NULL OR over_at IS NOT NULL)
);
CREATE INDEX maintenance_windows_newest ON maintenance_windows (project_id, created_at DESC, id DESC);
-- The oldest finished windows of a project, which are deleted first.
CREATE INDEX maintenance_windows_finished ON maintenance_windows (project_id, over_at DESC, id DESC) WHERE slot IS NULL;
-- Windows whose slots can be given back, and recurring windows whose next occurrences are due to be written.
CREATE INDEX maintenance_windows_over ON maintenance_windows (over_at) WHERE slot IS NOT NULL AND over_at IS NOT NULL;
CREATE INDEX maintenance_windows_to_extend ON maintenance_windows (extend_at) WHERE over_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON maintenance_windows TO svc_service;

-- The monitors of a window, or the tags of its monitors. A row ends with either side. A window without rows covers
-- nothing, unless it covers all monitors.
CREATE TABLE maintenance_targets (
  project_id uuid NOT NULL,
  window_id  uuid NOT NULL,
  slot       smallint NOT NULL CONSTRAINT maintenance_targets_slot_range CHECK (slot BETWEEN 1 AND 500),
  monitor_id uuid,
  tag_id     uuid,
  PRIMARY KEY (window_id, slot),
  CONSTRAINT maintenance_targets_one_side CHECK (num_nonnulls(monitor_id, tag_id) = 1),
  CONSTRAINT maintenance_targets_tags_range CHECK (tag_id IS NULL OR slot <= 20),
  CONSTRAINT maintenance_targets_monitor_once UNIQUE (window_id, monitor_id),
  CONSTRAINT maintenance_targets_tag_once UNIQUE (window_id, tag_id),
  CONSTRAINT maintenance_targets_window_exists FOREIGN KEY (project_id, window_id)
    REFERENCES maintenance_windows (project_id, id) ON DELETE CASCADE,
  CONSTRAINT maintenance_targets_monitor_exists FOREIGN KEY (project_id, monitor_id)
    REFERENCES monitors (project_id, id) ON DELETE CASCADE,
  CONSTRAINT maintenance_targets_tag_exists FOREIGN KEY (project_id, tag_id)
    REFERENCES tags (project_id, id) ON DELETE CASCADE
);
CREATE INDEX maintenance_targets_of_monitor ON maintenance_targets (monitor_id) WHERE monitor_id IS NOT NULL;
CREATE INDEX maintenance_targets_of_tag ON maintenance_targets (tag_id) WHERE tag_id IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON maintenance_targets TO svc_service;

-- One interval of a window. Rows are written ahead, so that decisions need no rule, and so that the past stays when
-- a rule or the time zones change.
CREATE TABLE maintenance_occurrences (
  id                  uuid PRIMARY KEY,
  project_id          uuid NOT NULL,
  window_id           uuid NOT NULL,
  starts_at           timestamptz NOT NULL,
  ends_at             timestamptz NOT NULL,
  exclude_from_uptime boolean NOT NULL,
  CONSTRAINT maintenance_occurrences_forward CHECK (ends_at >= starts_at),
  CONSTRAINT maintenance_occurrences_start_once UNIQUE (window_id, starts_at),
  CONSTRAINT maintenance_occurrences_window_exists FOREIGN KEY (project_id, window_id)
    REFERENCES maintenance_windows (project_id, id) ON DELETE CASCADE
);
CREATE INDEX maintenance_occurrences_of_project ON maintenance_occurrences (project_id, ends_at, starts_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON maintenance_occurrences TO svc_service;

-- The occurrences that overlap [after, before) and apply to these monitors, one row for each pair; of each window at
-- most the two that start last. Deleted monitors have none. An interval [now, now] gives the occurrences that are
-- active now. Each window is one look into its key, so that occurrences ahead cost nothing.
CREATE FUNCTION maintenance_of(monitors uuid[], after timestamptz, before timestamptz)
RETURNS TABLE (monitor_id uuid, occurrence_id uuid, window_id uuid, window_name text, starts_at timestamptz,
               ends_at timestamptz, exclude_from_uptime boolean)
LANGUAGE sql STABLE AS $$
  WITH wanted AS MATERIALIZED (
    SELECT m.id, m.project_id FROM monitors m WHERE m.id = ANY ($1) AND m.deleted_at IS NULL
  ), planned AS MATERIALIZED (
    SELECT w.id, w.project_id, w.name, w.all_monitors
      FROM (SELECT DISTINCT project_id FROM wanted) p
      JOIN maintenance_windows w ON w.project_id = p.project_id AND w.slot IS NOT NULL
    UNION ALL
    SELECT w.id, w.project_id, w.name, w.all_monitors
      FROM (SELECT DISTINCT project_id FROM wanted) p
      JOIN maintenance_windows w ON w.project_id = p.project_id AND w.slot IS NULL AND w.over_at > $2
  ), near AS MATERIALIZED (
    SELECT o.id, w.id AS window_id, w.project_id, w.name, w.all_monitors, o.starts_at, o.ends_at, o.exclude_from_uptime
      FROM planned w
     CROSS JOIN LATERAL (SELECT n.id, n.starts_at, n.ends_at, n.exclude_from_uptime FROM maintenance_occurrences n
                          WHERE n.window_id = w.id AND n.starts_at <= $3 AND (n.starts_at < $3 OR n.starts_at = $2)
                          ORDER BY n.starts_at DESC LIMIT 2) o
     WHERE o.ends_at > $2
  ), covered AS MATERIALIZED (
    SELECT n.window_id, m.id AS monitor_id
      FROM (SELECT DISTINCT near.window_id, near.project_id FROM near WHERE near.all_monitors) n
      JOIN wanted m ON m.project_id = n.project_id
    UNION
    SELECT t.window_id, t.monitor_id
      FROM (SELECT DISTINCT near.window_id FROM near WHERE NOT near.all_monitors) n
      JOIN maintenance_targets t ON t.window_id = n.window_id
      JOIN wanted m ON m.id = t.monitor_id
    UNION
    SELECT t.window_id, g.monitor_id
      FROM (SELECT DISTINCT near.window_id FROM near WHERE NOT near.all_monitors) n
      JOIN maintenance_targets t ON t.window_id = n.window_id
      JOIN monitor_tags g ON g.tag_id = t.tag_id
      JOIN wanted m ON m.id = g.monitor_id
  )
  SELECT c.monitor_id, n.id, n.window_id, n.name, n.starts_at, n.ends_at, n.exclude_from_uptime
    FROM covered c JOIN near n ON n.window_id = c.window_id
$$;

-- The monitors that a window covers and that are not deleted.
CREATE FUNCTION monitors_of_window(project uuid, window_id uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE AS $$
  SELECT m.id FROM maintenance_windows w JOIN monitors m ON m.project_id = w.project_id
   WHERE w.project_id = $1 AND w.id = $2 AND w.all_monitors AND m.deleted_at IS NULL
  UNION
  SELECT m.id FROM maintenance_targets t JOIN monitors m ON m.id = t.monitor_id
   WHERE t.project_id = $1 AND t.window_id = $2 AND m.deleted_at IS NULL
  UNION
  SELECT m.id
    FROM (SELECT DISTINCT g.monitor_id FROM maintenance_targets t JOIN monitor_tags g ON g.tag_id = t.tag_id
           WHERE t.project_id = $1 AND t.window_id = $2) g
    JOIN monitors m ON m.id = g.monitor_id
   WHERE m.deleted_at IS NULL
$$;

-- The outage of a parent that made this outage likely.
ALTER TABLE outages ADD COLUMN caused_by uuid;

ALTER TABLE monitor_status
  -- When maintenance or a dependency stopped holding back a failure, and a check was requested. A failing check that
  -- started later releases the failure. 'infinity': maintenance or a dependency holds it back.
  ADD COLUMN quiet_ended_at timestamptz;

-- All existing rows satisfy the narrower constraint of V056, so the table is not read.
ALTER TABLE alerts
  DROP CONSTRAINT alerts_suppressed_by_check,
  ADD CONSTRAINT alerts_suppressed_by_check
    CHECK (suppressed_by IN ('muted', 'provider_disabled', 'too_many_changes', 'maintenance', 'dependency')) NOT VALID;
