-- compatible from V041
-- An acknowledged outage is told to PagerDuty, in the order of the provider's alerts. Such a row is in no list of alerts.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE alerts
  DROP CONSTRAINT alerts_type_check,
  ADD CONSTRAINT alerts_type_check CHECK (type IN ('monitor_failure', 'monitor_recovery', 'monitor_degraded',
                                                   'monitor_error', 'ssl_expiring', 'job_failed', 'job_timeout',
                                                   'job_success', 'job_recovered', 'provider_failing',
                                                   'outage_acknowledged'));
