-- compatible from V046
-- Alerts of certificates that are about to end: once for each certificate and threshold, by the key of alerts.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE alerts
  DROP CONSTRAINT alerts_type_check,
  ADD CONSTRAINT alerts_type_check CHECK (type IN ('monitor_failure', 'monitor_recovery', 'monitor_degraded',
                                                   'monitor_error', 'ssl_expiring', 'job_failed', 'job_timeout',
                                                   'job_success', 'job_recovered', 'provider_failing')),
  -- Of ssl_expiring, JSON: whose end it tells. Such an alert's `about` is made of monitor, certificate and threshold, and
  -- its `number` is the threshold, in days.
  ADD COLUMN certificate text CHECK (octet_length(certificate) <= 8192);
