-- compatible from V068
-- What people and automation say on status pages: incidents, posts, and announced maintenance.
SET LOCAL lock_timeout = '500ms';

-- The limit of 50 open incidents of a page is the column `slot`. Resolved incidents give their slot back.
CREATE TABLE incidents (
  id             uuid PRIMARY KEY,
  project_id     uuid NOT NULL,
  page_id        uuid NOT NULL,
  slot           smallint CONSTRAINT incidents_slot_range CHECK (slot BETWEEN 1 AND 50),
  name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  impact         text NOT NULL CHECK (impact IN ('none', 'minor', 'major', 'critical')),
  status         text NOT NULL CHECK (status IN ('investigating', 'identified', 'monitoring', 'resolved')),
  started_at     timestamptz NOT NULL,
  resolved_at    timestamptz,
  automatic      boolean NOT NULL DEFAULT false,
  -- Of an automatic incident: its component, the outage that caused it, and the time since which the component is
  -- operational again.
  component_id   uuid,
  outage_id      uuid,
  good_since     timestamptz,
  person_posted  boolean NOT NULL DEFAULT false,  -- automation posts nothing more
  created_by     uuid REFERENCES users,           -- NULL: automatic
  version        bigint NOT NULL DEFAULT 1,
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT incidents_slot_unique UNIQUE (page_id, slot),
  CONSTRAINT incidents_of_page UNIQUE (page_id, id),
  CONSTRAINT incidents_of_project UNIQUE (project_id, id),
  CONSTRAINT incidents_page_exists FOREIGN KEY (project_id, page_id)
    REFERENCES status_pages (project_id, id) ON DELETE CASCADE,
  CONSTRAINT incidents_open_in_slot CHECK ((resolved_at IS NULL) = (slot IS NOT NULL)),
  CONSTRAINT incidents_resolved_status CHECK ((resolved_at IS NULL) = (status <> 'resolved')),
  CONSTRAINT incidents_automatic_cause CHECK (automatic = (outage_id IS NOT NULL) AND automatic = (created_by IS NULL))
);
CREATE INDEX incidents_newest ON incidents (page_id, started_at DESC, id DESC);
-- The oldest resolved incidents of a page, which are deleted first.
CREATE INDEX incidents_resolved ON incidents (page_id, resolved_at DESC, id DESC) WHERE resolved_at IS NOT NULL;
-- An incident in which a person posted is that person's, so another one may be opened next to it.
CREATE UNIQUE INDEX incidents_one_open_automatic ON incidents (component_id)
  WHERE automatic AND NOT person_posted AND resolved_at IS NULL;
CREATE UNIQUE INDEX incidents_once_for_outage ON incidents (component_id, outage_id) WHERE automatic;
CREATE INDEX incidents_automatic_newest ON incidents (page_id, created_at DESC) WHERE automatic;
GRANT SELECT, INSERT, UPDATE, DELETE ON incidents TO svc_service;

CREATE TABLE incident_components (
  page_id      uuid NOT NULL,
  incident_id  uuid NOT NULL,
  component_id uuid NOT NULL,
  slot         smallint NOT NULL CONSTRAINT incident_components_slot_range CHECK (slot BETWEEN 1 AND 100),
  status       text NOT NULL CHECK (status IN ('operational', 'degraded_performance', 'partial_outage', 'major_outage',
                                               'under_maintenance')),
  PRIMARY KEY (incident_id, slot),
  CONSTRAINT incident_components_once UNIQUE (incident_id, component_id),
  CONSTRAINT incident_components_incident_exists FOREIGN KEY (page_id, incident_id)
    REFERENCES incidents (page_id, id) ON DELETE CASCADE,
  CONSTRAINT incident_components_component_exists FOREIGN KEY (page_id, component_id)
    REFERENCES page_components (page_id, id) ON DELETE CASCADE
);
CREATE INDEX incident_components_of_component ON incident_components (component_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON incident_components TO svc_service;

-- The announcement of a window, and the pages and components that it is for. A window is on at most ten pages.
ALTER TABLE maintenance_windows
  ADD COLUMN announcement_title text CHECK (length(announcement_title) BETWEEN 1 AND 255),
  ADD COLUMN announcement_body  text CHECK (length(announcement_body) BETWEEN 1 AND 10000),
  ADD COLUMN announce_hours     smallint NOT NULL DEFAULT 72 CHECK (announce_hours BETWEEN 0 AND 720),
  ADD COLUMN notify             boolean NOT NULL DEFAULT true,
  -- The next time at which an occurrence is announced on a page. NULL: none, or the window is on no page.
  ADD COLUMN announce_at        timestamptz,
  ADD CONSTRAINT maintenance_windows_announcement_complete
    CHECK ((announcement_title IS NULL) = (announcement_body IS NULL));
CREATE INDEX maintenance_windows_to_announce ON maintenance_windows (announce_at) WHERE announce_at IS NOT NULL;

CREATE TABLE maintenance_window_pages (
  project_id uuid NOT NULL,
  window_id  uuid NOT NULL,
  slot       smallint NOT NULL CONSTRAINT maintenance_window_pages_slot_range CHECK (slot BETWEEN 1 AND 10),
  page_id    uuid NOT NULL,
  PRIMARY KEY (window_id, slot),
  CONSTRAINT maintenance_window_pages_once UNIQUE (window_id, page_id),
  CONSTRAINT maintenance_window_pages_window_exists FOREIGN KEY (project_id, window_id)
    REFERENCES maintenance_windows (project_id, id) ON DELETE CASCADE,
  CONSTRAINT maintenance_window_pages_page_exists FOREIGN KEY (project_id, page_id)
    REFERENCES status_pages (project_id, id) ON DELETE CASCADE
);
CREATE INDEX maintenance_window_pages_of_page ON maintenance_window_pages (page_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON maintenance_window_pages TO svc_service;

CREATE TABLE maintenance_window_components (
  project_id   uuid NOT NULL,
  window_id    uuid NOT NULL,
  slot         smallint NOT NULL CONSTRAINT maintenance_window_components_slot_range CHECK (slot BETWEEN 1 AND 50),
  component_id uuid NOT NULL,
  PRIMARY KEY (window_id, slot),
  CONSTRAINT maintenance_window_components_once UNIQUE (window_id, component_id),
  CONSTRAINT maintenance_window_components_window_exists FOREIGN KEY (project_id, window_id)
    REFERENCES maintenance_windows (project_id, id) ON DELETE CASCADE,
  CONSTRAINT maintenance_window_components_component_exists FOREIGN KEY (project_id, component_id)
    REFERENCES page_components (project_id, id) ON DELETE CASCADE
);
CREATE INDEX maintenance_window_components_of_component ON maintenance_window_components (component_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON maintenance_window_components TO svc_service;

-- One announced occurrence on one page. The row is a copy, so that the past stays when the window changes or ends. It is
-- the announcement as well: a post whose id is that of the occurrence. A page has at most 400 rows.
CREATE TABLE page_occurrences (
  page_id       uuid NOT NULL REFERENCES status_pages ON DELETE CASCADE,
  occurrence_id uuid NOT NULL,
  window_id     uuid NOT NULL,  -- may be deleted
  project_id    uuid NOT NULL,
  name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  body          text NOT NULL CHECK (length(body) <= 10000),
  components    uuid[] NOT NULL CHECK (cardinality(components) <= 50),
  notify        boolean NOT NULL,
  starts_at     timestamptz NOT NULL,
  ends_at       timestamptz NOT NULL,
  announced_at  timestamptz NOT NULL,
  edited_at     timestamptz,    -- the text was corrected
  changed_at    timestamptz NOT NULL,
  cancelled_at  timestamptz,
  sequence      integer NOT NULL DEFAULT 0,  -- number of changes
  PRIMARY KEY (page_id, occurrence_id)
);
CREATE INDEX page_occurrences_newest ON page_occurrences (page_id, ends_at DESC, occurrence_id DESC);
CREATE INDEX page_occurrences_of_occurrence ON page_occurrences (occurrence_id);
CREATE INDEX page_occurrences_of_window ON page_occurrences (window_id, ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON page_occurrences TO svc_service;

-- One published text: an update of an incident, or of a window's occurrence. The limit of 100 posts of a parent is the
-- column `slot`. An automatic post has no body: readers show a text in the language of the page.
CREATE TABLE page_posts (
  id          uuid PRIMARY KEY,
  project_id  uuid NOT NULL REFERENCES projects,
  parent_id   uuid NOT NULL,  -- the incident or the occurrence
  page_id     uuid,           -- of an incident's post; posts of an occurrence are on all of its pages
  window_id   uuid,           -- of an occurrence's post; may be deleted
  slot        smallint NOT NULL CONSTRAINT page_posts_slot_range CHECK (slot BETWEEN 1 AND 100),
  status      text NOT NULL CHECK (status IN ('investigating', 'identified', 'monitoring', 'resolved', 'postmortem',
                                              'note', 'cancelled', 'ended_early')),
  body        text NOT NULL CHECK (length(body) <= 10000),
  display_at  timestamptz NOT NULL,
  edited_at   timestamptz,
  automatic   boolean NOT NULL DEFAULT false,
  notify      boolean NOT NULL,
  created_by  uuid REFERENCES users,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT page_posts_slot_unique UNIQUE (parent_id, slot),
  CONSTRAINT page_posts_incident_exists FOREIGN KEY (page_id, parent_id)
    REFERENCES incidents (page_id, id) ON DELETE CASCADE,
  CONSTRAINT page_posts_one_parent CHECK ((page_id IS NULL) <> (window_id IS NULL)),
  CONSTRAINT page_posts_text CHECK (automatic OR length(body) > 0)
);
CREATE INDEX page_posts_newest ON page_posts (page_id, display_at DESC, id DESC) WHERE page_id IS NOT NULL;
CREATE INDEX page_posts_of_parent ON page_posts (parent_id, display_at DESC, id DESC);
CREATE INDEX page_posts_of_window ON page_posts (window_id, display_at DESC, id DESC) WHERE window_id IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON page_posts TO svc_service;

CREATE TRIGGER page_posts_counted_in AFTER INSERT ON page_posts REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('true', 'octet_length(body)');
CREATE TRIGGER page_posts_counted_out AFTER DELETE ON page_posts REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('true', 'octet_length(body)');
CREATE TRIGGER page_posts_counted_again AFTER UPDATE OF body ON page_posts
  FOR EACH ROW WHEN (octet_length(OLD.body) <> octet_length(NEW.body)) EXECUTE FUNCTION count_usage_change();

-- Returns the smallest free slot of a parent's posts; NULL if it has 100.
CREATE FUNCTION free_post_slot(parent uuid) RETURNS smallint LANGUAGE sql STABLE AS $$
  SELECT min(n)::smallint FROM generate_series(1, 100) n
   WHERE NOT EXISTS (SELECT FROM page_posts p WHERE p.parent_id = parent AND p.slot = n)
$$;
