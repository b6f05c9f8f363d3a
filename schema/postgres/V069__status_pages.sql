-- compatible from V068
-- Status pages with their slugs, logos and components, and the finished days of components.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE notification_providers ADD CONSTRAINT notification_providers_of_project UNIQUE (project_id, id);

CREATE TABLE status_pages (
  id                    uuid PRIMARY KEY,
  project_id            uuid NOT NULL REFERENCES projects,
  name                  text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  headline              text CHECK (length(headline) <= 255),
  description           text CHECK (length(description) <= 2000),
  status                text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'published', 'archived')),
  visibility            text NOT NULL DEFAULT 'public'
                        CHECK (visibility IN ('public', 'unlisted', 'restricted', 'members')),
  allowed_cidrs         text[] NOT NULL DEFAULT '{}' CHECK (cardinality(allowed_cidrs) <= 24),
  language              text NOT NULL DEFAULT 'en'
                        CHECK (language IN ('de', 'en', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'zh')),
  time_zone             text NOT NULL DEFAULT 'UTC' CHECK (length(time_zone) <= 64),
  accent_color          text CHECK (accent_color ~ '^#[0-9a-fA-F]{6}$'),
  support_url           text CHECK (length(support_url) <= 2048),
  allow_feeds           boolean NOT NULL DEFAULT true,
  allow_subscribers     boolean NOT NULL DEFAULT false,
  auto_incidents        boolean NOT NULL DEFAULT false,
  auto_incident_minutes smallint NOT NULL DEFAULT 5 CHECK (auto_incident_minutes BETWEEN 1 AND 60),
  custom_domain         text CHECK (length(custom_domain) BETWEEN 3 AND 253 AND custom_domain = lower(custom_domain)),
  -- The value of the TXT record that proves the domain. Each page has its own, so no page inherits a proof.
  domain_token          text NOT NULL CHECK (length(domain_token) BETWEEN 16 AND 128),
  domain_verified_at    timestamptz,
  domain_checked_at     timestamptz,
  domain_failing_since  timestamptz,  -- the first failed check since the last good one
  -- Rises with every change that visitors can see, also of components, incidents, posts and windows. Copies of the page
  -- are compared by this number. `version` is that of the settings.
  shown_version         bigint NOT NULL DEFAULT 1,
  created_by            uuid NOT NULL REFERENCES users,
  version               bigint NOT NULL DEFAULT 1,
  created_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
  deleted_at            timestamptz,  -- the rows of the page are deleted in batches afterwards
  CONSTRAINT status_pages_of_project UNIQUE (project_id, id),
  CONSTRAINT status_pages_proof_of_domain CHECK (domain_verified_at IS NULL OR custom_domain IS NOT NULL)
) WITH (fillfactor = 70);
CREATE INDEX status_pages_newest ON status_pages (project_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX status_pages_published ON status_pages (id) WHERE deleted_at IS NULL AND status = 'published';
CREATE INDEX status_pages_automatic ON status_pages (id)
  WHERE deleted_at IS NULL AND status = 'published' AND auto_incidents;
CREATE INDEX status_pages_deleted ON status_pages (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX status_pages_domain_unique ON status_pages (custom_domain)
  WHERE domain_verified_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX status_pages_domains_to_check ON status_pages (domain_checked_at)
  WHERE domain_verified_at IS NOT NULL AND deleted_at IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON status_pages TO svc_service;

-- The slugs of pages, unique in the installation. Slot 0 is the current slug of a page, 1 to 5 are its former ones, which
-- lead to it until `ends_at`. A slug of a deleted page has no page and stays reserved for its project until then.
CREATE TABLE page_slugs (
  slug       text PRIMARY KEY CONSTRAINT page_slugs_form CHECK (slug ~ '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$'),
  project_id uuid NOT NULL REFERENCES projects,
  page_id    uuid,
  slot       smallint CONSTRAINT page_slugs_slot_range CHECK (slot BETWEEN 0 AND 5),
  ends_at    timestamptz,
  CONSTRAINT page_slugs_slot_unique UNIQUE (page_id, slot),
  CONSTRAINT page_slugs_page_exists FOREIGN KEY (project_id, page_id)
    REFERENCES status_pages (project_id, id) ON DELETE CASCADE,
  CONSTRAINT page_slugs_slot_of_page CHECK ((page_id IS NULL) = (slot IS NULL)),
  CONSTRAINT page_slugs_end_of_former CHECK ((ends_at IS NULL) = (slot IS NOT DISTINCT FROM 0))
);
CREATE INDEX page_slugs_ended ON page_slugs (ends_at) WHERE ends_at IS NOT NULL;
-- The slugs of a project's deleted pages, of which the newest hundred stay.
CREATE INDEX page_slugs_without_page ON page_slugs (project_id, ends_at DESC, slug DESC) WHERE page_id IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON page_slugs TO svc_service;

CREATE TABLE page_logos (
  page_id      uuid PRIMARY KEY REFERENCES status_pages ON DELETE CASCADE,
  content_type text NOT NULL CHECK (content_type IN ('image/png', 'image/jpeg', 'image/webp')),
  content      bytea NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 262144),
  changed_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE page_logos ALTER COLUMN content SET STORAGE EXTERNAL;
GRANT SELECT, INSERT, UPDATE, DELETE ON page_logos TO svc_service;

-- The limit of 100 components of a page is the column `slot`.
CREATE TABLE page_components (
  id              uuid PRIMARY KEY,
  project_id      uuid NOT NULL,
  page_id         uuid NOT NULL,
  slot            smallint NOT NULL CONSTRAINT page_components_slot_range CHECK (slot BETWEEN 1 AND 100),
  position        integer NOT NULL,
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  description     text CHECK (length(description) <= 500),
  group_name      text CHECK (length(group_name) <= 100),
  aggregation     text NOT NULL DEFAULT 'worst_case' CHECK (aggregation IN ('worst_case', 'majority_vote')),
  show_uptime     boolean NOT NULL DEFAULT true,
  status_override text CHECK (status_override IN ('operational', 'degraded_performance', 'partial_outage',
                                                  'major_outage', 'under_maintenance')),
  override_until  timestamptz,
  -- The newest local day with a row below, and the time from which on the next one is finished.
  days_until      date,
  days_due_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  version         bigint NOT NULL DEFAULT 1,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT page_components_slot_unique UNIQUE (page_id, slot),
  CONSTRAINT page_components_of_page UNIQUE (page_id, id),
  CONSTRAINT page_components_of_project UNIQUE (project_id, id),
  CONSTRAINT page_components_page_exists FOREIGN KEY (project_id, page_id)
    REFERENCES status_pages (project_id, id) ON DELETE CASCADE,
  CONSTRAINT page_components_override_ends CHECK (override_until IS NULL OR status_override IS NOT NULL)
);
CREATE INDEX page_components_due ON page_components (days_due_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON page_components TO svc_service;

-- The monitors of components. A row outlives its monitor on purpose: a component whose monitors were purged is unknown,
-- not operational. A page has at most 1 000 rows (`page_slot`).
CREATE TABLE page_component_monitors (
  page_id      uuid NOT NULL,
  component_id uuid NOT NULL,
  slot         smallint NOT NULL CONSTRAINT page_component_monitors_slot_range CHECK (slot BETWEEN 1 AND 50),
  page_slot    smallint NOT NULL CONSTRAINT page_component_monitors_page_slot_range CHECK (page_slot BETWEEN 1 AND 1000),
  monitor_id   uuid NOT NULL,
  PRIMARY KEY (component_id, slot),
  CONSTRAINT page_component_monitors_once UNIQUE (component_id, monitor_id),
  CONSTRAINT page_component_monitors_page_slot_unique UNIQUE (page_id, page_slot),
  CONSTRAINT page_component_monitors_component_exists FOREIGN KEY (page_id, component_id)
    REFERENCES page_components (page_id, id) ON DELETE CASCADE
);
CREATE INDEX page_component_monitors_of_monitor ON page_component_monitors (monitor_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON page_component_monitors TO svc_service;

-- A finished local day of a component, written once. It stays when monitors change or end.
CREATE TABLE page_component_days (
  component_id uuid NOT NULL REFERENCES page_components ON DELETE CASCADE,
  day          date NOT NULL,
  worst        text NOT NULL CHECK (worst IN ('operational', 'unknown', 'under_maintenance', 'degraded_performance',
                                              'partial_outage', 'major_outage')),
  up_seconds   integer NOT NULL CHECK (up_seconds BETWEEN 0 AND 90000),  -- the longest local day has 25 hours
  down_seconds integer NOT NULL CHECK (down_seconds BETWEEN 0 AND 90000),
  PRIMARY KEY (component_id, day)
);
GRANT SELECT, INSERT, DELETE ON page_component_days TO svc_service;

-- Makes all copies of these pages old. Locks the pages in the order that all writers share.
CREATE FUNCTION raise_shown_version(pages uuid[]) RETURNS void LANGUAGE sql AS $$
  UPDATE status_pages SET shown_version = shown_version + 1
   WHERE id IN (SELECT p.id FROM status_pages p WHERE p.id = ANY (pages) ORDER BY p.id FOR NO KEY UPDATE)
$$;

-- Pages count for a quota, as jobs do (V018). Deleted ones count no more.
ALTER TABLE project_usage DROP CONSTRAINT project_usage_kind_check;
ALTER TABLE project_usage ADD CONSTRAINT project_usage_kind_check
  CHECK (kind IN ('jobs', 'tests', 'variables', 'monitors', 'notification_providers', 'status_pages', 'page_posts'));
CREATE OR REPLACE FUNCTION count_usage_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME = 'jobs' THEN
    PERFORM change_usage(NEW.project_id, 'jobs', CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END, 0);
  ELSIF TG_TABLE_NAME = 'monitors' THEN
    PERFORM change_usage(NEW.project_id, 'monitors', (NEW.deleted_at IS NULL)::int - (OLD.deleted_at IS NULL)::int,
                         CASE WHEN NEW.deleted_at IS NULL THEN octet_length(NEW.config::text) ELSE 0 END
                         - CASE WHEN OLD.deleted_at IS NULL THEN octet_length(OLD.config::text) ELSE 0 END);
  ELSIF TG_TABLE_NAME = 'tests' THEN
    PERFORM change_usage(NEW.project_id, 'tests', 0, octet_length(NEW.script) - octet_length(OLD.script));
  ELSIF TG_TABLE_NAME = 'status_pages' THEN
    PERFORM change_usage(NEW.project_id, 'status_pages', CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END, 0);
  ELSIF TG_TABLE_NAME = 'page_posts' THEN
    PERFORM change_usage(NEW.project_id, 'page_posts', 0, octet_length(NEW.body) - octet_length(OLD.body));
  ELSE
    PERFORM change_usage(NEW.project_id, 'variables', 0,
                         greatest(octet_length(NEW.sealed), 28) - greatest(octet_length(OLD.sealed), 28));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER status_pages_counted_in AFTER INSERT ON status_pages REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('deleted_at IS NULL', '0');
CREATE TRIGGER status_pages_counted_out AFTER DELETE ON status_pages REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('deleted_at IS NULL', '0');
CREATE TRIGGER status_pages_counted_again AFTER UPDATE OF deleted_at ON status_pages
  FOR EACH ROW WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)) EXECUTE FUNCTION count_usage_change();
