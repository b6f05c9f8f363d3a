-- compatible from V068
-- Refusals and limits of addresses hold over all pages, and queries of what is due stay short.
SET LOCAL lock_timeout = '500ms';

-- The confirmations of a day outlive their page: a project that deletes pages must not write to an address again.
ALTER TABLE page_confirmations DROP CONSTRAINT page_confirmations_page_exists;
DROP INDEX page_confirmations_of_page;

-- An address that refuses mail leaves all pages.
CREATE INDEX page_subscribers_of_address ON page_subscribers (digest);

-- The posts whose providers are not notified.
CREATE INDEX page_mail_jobs_to_announce ON page_mail_jobs (next_at) WHERE ended_at IS NULL AND providers_at IS NULL;

-- The outage of the component's newest automatic incident, which stays if an editor deletes the incident.
ALTER TABLE page_components ADD COLUMN automatic_outage_id uuid;
