-- compatible from V068
-- Refusals and limits of addresses hold over all pages.
SET LOCAL lock_timeout = '500ms';

-- The confirmations of a day outlive their page: a project that deletes pages must not write to an address again.
ALTER TABLE page_confirmations DROP CONSTRAINT page_confirmations_page_exists;
DROP INDEX page_confirmations_of_page;

-- An address that refuses mail leaves all pages.
CREATE INDEX page_subscribers_of_address ON page_subscribers (digest);
