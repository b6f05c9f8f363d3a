-- compatible from V068
-- Subscribers of status pages, the mails to them, and the notification providers of pages.
SET LOCAL lock_timeout = '500ms';

-- Addresses are only sent to; all lookups use `digest`, the SHA-256 of the address in lower case. Tokens are in no row:
-- `confirm_digest` and `stop_digest` are their SHA-256. `sealed` is the token of the link that ends the subscription,
-- sealed as variables are, because each mail has it.
CREATE TABLE page_subscribers (
  id                 uuid PRIMARY KEY,
  project_id         uuid NOT NULL,
  page_id            uuid NOT NULL,
  email              text NOT NULL CHECK (length(email) BETWEEN 3 AND 320),
  digest             bytea NOT NULL CHECK (octet_length(digest) = 32),
  state              text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'active')),
  component_ids      uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(component_ids) <= 100),  -- empty: all
  confirm_digest     bytea CHECK (octet_length(confirm_digest) = 32),
  confirm_expires_at timestamptz,
  stop_digest        bytea CHECK (octet_length(stop_digest) = 32),
  sealed             bytea,
  key_id             uuid,
  refused_posts      smallint NOT NULL DEFAULT 0 CHECK (refused_posts >= 0),  -- in a row, with 5xx
  created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  confirmed_at       timestamptz,
  CONSTRAINT page_subscribers_address_once UNIQUE (page_id, digest),
  CONSTRAINT page_subscribers_page_exists FOREIGN KEY (project_id, page_id)
    REFERENCES status_pages (project_id, id) ON DELETE CASCADE,
  CONSTRAINT page_subscribers_key FOREIGN KEY (project_id, key_id) REFERENCES project_keys (project_id, key_id),
  CONSTRAINT page_subscribers_sealed_complete CHECK ((sealed IS NULL) = (key_id IS NULL)),
  CONSTRAINT page_subscribers_confirmed CHECK ((state = 'active') = (confirmed_at IS NOT NULL)),
  CONSTRAINT page_subscribers_confirmable CHECK ((confirm_digest IS NULL) = (confirm_expires_at IS NULL))
);
-- The cursor of a mail job, and the list of subscribers, follow the id.
CREATE INDEX page_subscribers_active ON page_subscribers (page_id, id) WHERE state = 'active';
CREATE INDEX page_subscribers_newest ON page_subscribers (page_id, created_at DESC, id DESC);
CREATE INDEX page_subscribers_pending ON page_subscribers (created_at) WHERE state = 'pending';
CREATE UNIQUE INDEX page_subscribers_confirm ON page_subscribers (confirm_digest) WHERE confirm_digest IS NOT NULL;
CREATE UNIQUE INDEX page_subscribers_stop ON page_subscribers (stop_digest) WHERE stop_digest IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON page_subscribers TO svc_service;

-- The number of active and of pending subscribers of each page. The row is locked until COMMIT, so that a transaction
-- that reads it after its own change reads the truth. The bounds are those of the service.
CREATE TABLE page_audiences (
  page_id uuid PRIMARY KEY REFERENCES status_pages ON DELETE CASCADE,
  active  integer NOT NULL DEFAULT 0 CHECK (active >= 0),
  pending integer NOT NULL DEFAULT 0 CHECK (pending >= 0)
) WITH (fillfactor = 50);
GRANT SELECT ON page_audiences TO svc_service;

CREATE FUNCTION count_subscribers(page uuid, more_active bigint, more_pending bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE page_audiences a SET active = a.active + more_active, pending = a.pending + more_pending WHERE a.page_id = page;
  -- A deletion of the page deletes both tables' rows, in any order.
  IF NOT FOUND AND EXISTS (SELECT FROM status_pages p WHERE p.id = page) AND more_active >= 0 AND more_pending >= 0 THEN
    INSERT INTO page_audiences AS a (page_id, active, pending) VALUES (page, more_active, more_pending)
    ON CONFLICT (page_id) DO UPDATE SET active = a.active + excluded.active, pending = a.pending + excluded.pending;
  END IF;
END $$;
CREATE FUNCTION follow_subscribers() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM count_subscribers(NEW.page_id, (NEW.state = 'active')::int - (OLD.state = 'active')::int,
                              (NEW.state = 'pending')::int - (OLD.state = 'pending')::int);
  ELSE
    PERFORM count_subscribers(t.page_id, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * t.active,
                              CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * t.pending)
       FROM (SELECT page_id, count(*) FILTER (WHERE state = 'active') AS active,
                    count(*) FILTER (WHERE state = 'pending') AS pending
               FROM touched GROUP BY page_id ORDER BY page_id) t;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER page_subscribers_counted_in AFTER INSERT ON page_subscribers REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION follow_subscribers();
CREATE TRIGGER page_subscribers_counted_out AFTER DELETE ON page_subscribers REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION follow_subscribers();
CREATE TRIGGER page_subscribers_counted_again AFTER UPDATE OF state ON page_subscribers
  FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION follow_subscribers();

-- One post that notifies: a cursor over the active subscribers of one page. `post_id` is that of a post, or of an
-- occurrence for its announcement. A finished row stays for a day, because the rows of an hour and of a day are bounded.
CREATE TABLE page_mail_jobs (
  id           uuid PRIMARY KEY,
  project_id   uuid NOT NULL,
  page_id      uuid NOT NULL,
  post_id      uuid NOT NULL,
  providers_at timestamptz,  -- the alerts to the page's providers were written then
  after_id     uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',  -- subscribers up to this one had their turn
  next_at      timestamptz NOT NULL DEFAULT clock_timestamp(),  -- while it is claimed: the end of the lease
  claim_id     uuid,
  attempts     smallint NOT NULL DEFAULT 0,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at     timestamptz,
  CONSTRAINT page_mail_jobs_post_once UNIQUE (page_id, post_id),
  CONSTRAINT page_mail_jobs_page_exists FOREIGN KEY (project_id, page_id)
    REFERENCES status_pages (project_id, id) ON DELETE CASCADE
);
CREATE INDEX page_mail_jobs_due ON page_mail_jobs (next_at) WHERE ended_at IS NULL;
CREATE INDEX page_mail_jobs_ended ON page_mail_jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX page_mail_jobs_newest ON page_mail_jobs (page_id, created_at DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON page_mail_jobs TO svc_service;

-- A mail about a post that is sent again later: at most one row for a recipient and a post.
CREATE TABLE page_mails (
  job_id        uuid NOT NULL REFERENCES page_mail_jobs ON DELETE CASCADE,
  subscriber_id uuid NOT NULL REFERENCES page_subscribers ON DELETE CASCADE,
  attempts      smallint NOT NULL DEFAULT 1 CHECK (attempts BETWEEN 1 AND 5),
  next_at       timestamptz NOT NULL,  -- while it is claimed: the end of the lease
  claim_id      uuid,
  PRIMARY KEY (job_id, subscriber_id)
);
CREATE INDEX page_mails_due ON page_mails (next_at);
CREATE INDEX page_mails_of_subscriber ON page_mails (subscriber_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON page_mails TO svc_service;

-- Mails that ask an address to confirm, of the last day: waiting ones have `next_at`.
CREATE TABLE page_confirmations (
  id            uuid PRIMARY KEY,
  project_id    uuid NOT NULL,
  page_id       uuid NOT NULL,
  subscriber_id uuid,
  digest        bytea NOT NULL CHECK (octet_length(digest) = 32),
  sent_at       timestamptz NOT NULL DEFAULT clock_timestamp(),  -- when it was queued: the limits count it from then on
  attempts      smallint NOT NULL DEFAULT 0,
  next_at       timestamptz DEFAULT clock_timestamp(),           -- NULL: it was sent or given up
  claim_id      uuid,
  CONSTRAINT page_confirmations_page_exists FOREIGN KEY (project_id, page_id)
    REFERENCES status_pages (project_id, id) ON DELETE CASCADE,
  CONSTRAINT page_confirmations_subscriber_exists FOREIGN KEY (subscriber_id)
    REFERENCES page_subscribers ON DELETE SET NULL
);
CREATE INDEX page_confirmations_of_address ON page_confirmations (digest, sent_at);
CREATE INDEX page_confirmations_by_age ON page_confirmations (sent_at);
CREATE INDEX page_confirmations_due ON page_confirmations (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX page_confirmations_of_subscriber ON page_confirmations (subscriber_id) WHERE subscriber_id IS NOT NULL;
CREATE INDEX page_confirmations_of_page ON page_confirmations (page_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON page_confirmations TO svc_service;

-- Addresses that take no mail of any page. The oldest rows beyond 1 000 000 are deleted.
CREATE TABLE mail_refusals (
  digest     bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
  refused_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX mail_refusals_by_age ON mail_refusals (refused_at);
GRANT SELECT, INSERT, DELETE ON mail_refusals TO svc_service;

-- The notification providers that receive the posts of a page.
CREATE TABLE page_providers (
  project_id  uuid NOT NULL,
  page_id     uuid NOT NULL,
  slot        smallint NOT NULL CONSTRAINT page_providers_slot_range CHECK (slot BETWEEN 1 AND 10),
  provider_id uuid NOT NULL,
  PRIMARY KEY (page_id, slot),
  CONSTRAINT page_providers_once UNIQUE (page_id, provider_id),
  CONSTRAINT page_providers_page_exists FOREIGN KEY (project_id, page_id)
    REFERENCES status_pages (project_id, id) ON DELETE CASCADE,
  CONSTRAINT page_providers_provider_exists FOREIGN KEY (project_id, provider_id)
    REFERENCES notification_providers (project_id, id) ON DELETE CASCADE
);
CREATE INDEX page_providers_of_provider ON page_providers (provider_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON page_providers TO svc_service;

-- All existing rows satisfy the narrower constraints of V048 and V052, so the table is not read.
ALTER TABLE alerts
  DROP CONSTRAINT alerts_type_check,
  ADD CONSTRAINT alerts_type_check CHECK (type IN ('monitor_failure', 'monitor_recovery', 'monitor_degraded',
                                                   'monitor_error', 'ssl_expiring', 'job_failed', 'job_timeout',
                                                   'job_success', 'job_recovered', 'provider_failing',
                                                   'outage_acknowledged', 'status_page_post')) NOT VALID,
  DROP CONSTRAINT alerts_target_type_check,
  ADD CONSTRAINT alerts_target_type_check
    CHECK (target_type IN ('monitor', 'job', 'provider', 'status_page')) NOT VALID;

-- Returns a new UUIDv7 of this time.
CREATE FUNCTION new_id(moment timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_byte(substring(int8send(floor(extract(epoch FROM moment) * 1000)::bigint) FROM 3 FOR 6)
                         || substring(r.bytes FROM 7), 6, (get_byte(r.bytes, 6) & 15) | 112), 'hex')::uuid
    FROM (SELECT uuid_send(gen_random_uuid()) AS bytes) r
$$;

-- Queues the mails about a post of a published page. Returns false if the page has queued 20 posts within an hour or 100
-- within a day. Requires a lock on the page's row, so that simultaneous posts see each other.
CREATE FUNCTION queue_page_post(page uuid, post uuid, moment timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) >= 100 OR count(*) FILTER (WHERE j.created_at > moment - interval '1 hour') >= 20
        FROM page_mail_jobs j WHERE j.page_id = page AND j.created_at > moment - interval '1 day') THEN
    RETURN false;
  END IF;
  INSERT INTO page_mail_jobs (id, project_id, page_id, post_id, next_at, created_at)
  SELECT new_id(moment), p.project_id, p.id, post, moment, moment FROM status_pages p
   WHERE p.id = page AND p.status = 'published' AND p.deleted_at IS NULL
  ON CONFLICT ON CONSTRAINT page_mail_jobs_post_once DO NOTHING;
  RETURN true;
END $$;

-- Adds an automatic post to an announced occurrence. A parent with 100 posts gets none. Mails beyond the bounds of a page
-- are left out. Requires locks on the pages.
CREATE FUNCTION add_occurrence_post(project uuid, window_of uuid, occurrence uuid, kind text, moment timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  post CONSTANT uuid := new_id(moment);
  free CONSTANT smallint := free_post_slot(occurrence);
BEGIN
  IF free IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO page_posts (id, project_id, parent_id, window_id, slot, status, body, display_at, automatic, notify)
  SELECT post, project, occurrence, window_of, free, kind, '', moment, true, bool_or(p.notify)
    FROM page_occurrences p WHERE p.occurrence_id = occurrence;
  PERFORM queue_page_post(p.page_id, post, moment) FROM page_occurrences p
    WHERE p.occurrence_id = occurrence AND p.notify;
END $$;

-- Make posts of occurrences end with the last of their parents: the occurrence and its announcements.
CREATE FUNCTION delete_lone_posts(occurrences uuid[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM page_posts o
   WHERE o.parent_id = ANY (occurrences) AND o.window_id IS NOT NULL
     AND NOT EXISTS (SELECT FROM page_occurrences p WHERE p.occurrence_id = o.parent_id)
     AND NOT EXISTS (SELECT FROM maintenance_occurrences m WHERE m.id = o.parent_id)
$$;
CREATE FUNCTION follow_deleted_announcements() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM delete_lone_posts(ARRAY(SELECT DISTINCT t.occurrence_id FROM touched t));
  RETURN NULL;
END $$;
CREATE TRIGGER page_occurrences_deleted AFTER DELETE ON page_occurrences REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION follow_deleted_announcements();

-- Make announced occurrences follow their rows. A moved one changes its times; an active one whose end was set to now
-- gets the post `ended_early`. One whose row was deleted before its end gets the post `cancelled`, or `ended_early` if it
-- was active. Occurrences that were over already stay as they are.
CREATE FUNCTION follow_moved_occurrences() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  pages CONSTANT uuid[] := ARRAY(
    SELECT DISTINCT p.page_id FROM touched t JOIN page_occurrences p ON p.occurrence_id = t.id
     WHERE p.cancelled_at IS NULL AND (p.starts_at, p.ends_at) <> (t.starts_at, t.ends_at));
BEGIN
  IF cardinality(pages) = 0 THEN
    RETURN NULL;
  END IF;
  PERFORM raise_shown_version(pages);
  PERFORM add_occurrence_post(t.project_id, t.window_id, t.id, 'ended_early', moment) FROM touched t
    WHERE t.ends_at <= moment AND EXISTS (SELECT FROM page_occurrences p WHERE p.occurrence_id = t.id
                                             AND p.cancelled_at IS NULL AND p.ends_at > moment);
  UPDATE page_occurrences p
     SET starts_at = t.starts_at, ends_at = t.ends_at, changed_at = moment, sequence = p.sequence + 1
    FROM touched t
   WHERE p.occurrence_id = t.id AND p.cancelled_at IS NULL AND (p.starts_at, p.ends_at) <> (t.starts_at, t.ends_at);
  RETURN NULL;
END $$;
CREATE FUNCTION follow_deleted_occurrences() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  pages CONSTANT uuid[] := ARRAY(
    SELECT DISTINCT p.page_id FROM touched t JOIN page_occurrences p ON p.occurrence_id = t.id
     WHERE p.cancelled_at IS NULL AND p.ends_at > moment);
BEGIN
  PERFORM delete_lone_posts(ARRAY(SELECT t.id FROM touched t));
  IF cardinality(pages) = 0 THEN
    RETURN NULL;
  END IF;
  PERFORM raise_shown_version(pages);
  PERFORM add_occurrence_post(t.project_id, t.window_id, t.id,
                              CASE WHEN t.starts_at > moment THEN 'cancelled' ELSE 'ended_early' END, moment)
     FROM touched t
    WHERE EXISTS (SELECT FROM page_occurrences p
                   WHERE p.occurrence_id = t.id AND p.cancelled_at IS NULL AND p.ends_at > moment);
  UPDATE page_occurrences p
     SET cancelled_at = CASE WHEN p.starts_at > moment THEN moment END,
         ends_at = CASE WHEN p.starts_at > moment THEN p.ends_at ELSE moment END,
         changed_at = moment, sequence = p.sequence + 1
    FROM touched t
   WHERE p.occurrence_id = t.id AND p.cancelled_at IS NULL AND p.ends_at > moment;
  RETURN NULL;
END $$;
CREATE TRIGGER maintenance_occurrences_moved AFTER UPDATE ON maintenance_occurrences REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION follow_moved_occurrences();
CREATE TRIGGER maintenance_occurrences_deleted AFTER DELETE ON maintenance_occurrences REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION follow_deleted_occurrences();

-- Makes the pages of these windows show their texts, components and due occurrences, and sets the time of their next
-- announcement. Pages that a window is not on any more lose its unfinished occurrences. Requires the lock of the project,
-- and must follow the writes of the windows and their occurrences.
CREATE FUNCTION publish_windows(windows uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  added record;
BEGIN
  IF NOT EXISTS (SELECT FROM maintenance_window_pages g WHERE g.window_id = ANY (windows))
     AND NOT EXISTS (SELECT FROM page_occurrences p WHERE p.window_id = ANY (windows) AND p.ends_at > moment) THEN
    UPDATE maintenance_windows w SET announce_at = NULL WHERE w.id = ANY (windows) AND w.announce_at IS NOT NULL;
    RETURN;
  END IF;
  PERFORM raise_shown_version(ARRAY(
    SELECT g.page_id FROM maintenance_window_pages g WHERE g.window_id = ANY (windows)
    UNION SELECT p.page_id FROM page_occurrences p WHERE p.window_id = ANY (windows) AND p.ends_at > moment));
  DELETE FROM page_occurrences p
   WHERE p.window_id = ANY (windows) AND p.ends_at > moment AND p.cancelled_at IS NULL
     AND NOT EXISTS (SELECT FROM maintenance_window_pages g WHERE g.window_id = p.window_id AND g.page_id = p.page_id);
  UPDATE page_occurrences p
     SET name = coalesce(w.announcement_title, w.name), body = coalesce(w.announcement_body, ''), notify = w.notify,
         components = c.ids, changed_at = moment, sequence = p.sequence + 1,
         edited_at = CASE WHEN (p.name, p.body) = (coalesce(w.announcement_title, w.name),
                                                   coalesce(w.announcement_body, '')) THEN p.edited_at ELSE moment END
    FROM maintenance_windows w
   CROSS JOIN LATERAL (SELECT ARRAY(SELECT t.component_id FROM maintenance_window_components t
                                     WHERE t.window_id = w.id ORDER BY t.slot) AS ids) c
   WHERE w.id = ANY (windows) AND p.window_id = w.id AND p.ends_at > moment AND p.cancelled_at IS NULL
     AND (p.name, p.body, p.components, p.notify)
         <> (coalesce(w.announcement_title, w.name), coalesce(w.announcement_body, ''), c.ids, w.notify);
  INSERT INTO page_occurrences (page_id, occurrence_id, window_id, project_id, name, body, components, notify,
                                starts_at, ends_at, announced_at, changed_at)
  SELECT g.page_id, o.id, w.id, w.project_id, coalesce(w.announcement_title, w.name),
         coalesce(w.announcement_body, ''),
         ARRAY(SELECT t.component_id FROM maintenance_window_components t WHERE t.window_id = w.id ORDER BY t.slot),
         w.notify, o.starts_at, o.ends_at, moment, moment
    FROM maintenance_windows w
    JOIN maintenance_window_pages g ON g.window_id = w.id
    JOIN maintenance_occurrences o ON o.window_id = w.id
   WHERE w.id = ANY (windows) AND o.ends_at > moment
     AND o.starts_at <= moment + w.announce_hours * interval '1 hour'
  ON CONFLICT (page_id, occurrence_id) DO NOTHING;
  -- Active occurrences stay, then those that are nearest to now, whether they are over or come next.
  DELETE FROM page_occurrences d
   WHERE (d.page_id, d.occurrence_id) IN (
           SELECT s.page_id, s.occurrence_id
             FROM (SELECT DISTINCT g.page_id FROM maintenance_window_pages g WHERE g.window_id = ANY (windows)) f
            CROSS JOIN LATERAL (SELECT p.page_id, p.occurrence_id FROM page_occurrences p WHERE p.page_id = f.page_id
                                 ORDER BY greatest(p.starts_at - moment, moment - p.ends_at), p.occurrence_id DESC
                                OFFSET 400) s);
  FOR added IN
    SELECT p.page_id, p.occurrence_id FROM page_occurrences p
     WHERE p.window_id = ANY (windows) AND p.ends_at > moment AND p.announced_at = moment AND p.notify
     ORDER BY p.starts_at, p.page_id
  LOOP
    PERFORM queue_page_post(added.page_id, added.occurrence_id, moment);
  END LOOP;
  UPDATE maintenance_windows w
     SET announce_at = (SELECT min(o.starts_at) - w.announce_hours * interval '1 hour' FROM maintenance_occurrences o
                         WHERE o.window_id = w.id AND o.starts_at > moment + w.announce_hours * interval '1 hour'
                           AND EXISTS (SELECT FROM maintenance_window_pages g WHERE g.window_id = w.id))
   WHERE w.id = ANY (windows);
END $$;
