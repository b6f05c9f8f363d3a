-- compatible from V037
-- What is over for long enough goes: ended outages, and monitors that were deleted, with what belongs to them alone.
SET LOCAL lock_timeout = '500ms';

CREATE INDEX outages_old ON outages (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX monitors_old ON monitors (deleted_at) WHERE deleted_at IS NOT NULL;
GRANT DELETE ON outages, monitors TO svc_service;
