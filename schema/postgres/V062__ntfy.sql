-- compatible from V041
-- Adds the provider type ntfy. An older version shows such a provider, but ends its messages.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE notification_providers
  DROP CONSTRAINT notification_providers_type_check,
  ADD CONSTRAINT notification_providers_type_check CHECK (type IN ('email', 'slack', 'webhook', 'telegram', 'discord',
                                                                   'teams', 'pagerduty', 'ntfy'));
