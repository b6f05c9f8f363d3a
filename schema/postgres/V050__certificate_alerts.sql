-- compatible from V046
-- Alerts of certificates that are about to end: once for each certificate and threshold, by the key of alerts.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE alerts
  -- Of ssl_expiring, JSON: whose end it tells. Such an alert's `about` is made of monitor, certificate and threshold, and
  -- its `number` is the threshold, in days.
  ADD COLUMN certificate text CHECK (octet_length(certificate) <= 8192);
