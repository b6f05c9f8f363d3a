-- compatible from V041
-- PagerDuty, and signing secrets that were replaced: the one before signs too until then. It lies among the sealed.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE notification_providers
  DROP CONSTRAINT notification_providers_type_check,
  ADD CONSTRAINT notification_providers_type_check CHECK (type IN ('email', 'slack', 'webhook', 'telegram', 'discord',
                                                                   'teams', 'pagerduty')),
  ADD COLUMN former_secret_until timestamptz;
