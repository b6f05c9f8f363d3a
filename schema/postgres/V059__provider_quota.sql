-- compatible from V041
-- Notification providers count for a quota, as jobs do (V018). Their configs are bounded by the contract's lengths.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE project_usage DROP CONSTRAINT project_usage_kind_check;
ALTER TABLE project_usage ADD CONSTRAINT project_usage_kind_check
  CHECK (kind IN ('jobs', 'tests', 'variables', 'monitors', 'notification_providers'));

CREATE TRIGGER notification_providers_counted_in AFTER INSERT ON notification_providers REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('true', '0');
CREATE TRIGGER notification_providers_counted_out AFTER DELETE ON notification_providers REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION count_usage('true', '0');

-- CREATE TRIGGER holds off all writers of the table until COMMIT, so no provider is missed or counted twice.
INSERT INTO project_usage (project_id, kind, used, bytes)
SELECT project_id, 'notification_providers', count(*), 0 FROM notification_providers GROUP BY project_id;
