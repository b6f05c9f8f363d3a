-- compatible from V041
-- What bounds rows that tenants write: deleted monitors of a project, newest first, of which the oldest go with each
-- deletion; and bodies of heartbeats, of which the newest of each monitor stay.
SET LOCAL lock_timeout = '500ms';

CREATE INDEX monitors_buried ON monitors (project_id, deleted_at DESC, id DESC) WHERE deleted_at IS NOT NULL;

CREATE INDEX heartbeat_bodies ON heartbeat_beats (monitor_id, number) WHERE body IS NOT NULL;
GRANT UPDATE (body) ON heartbeat_beats TO svc_service;
