-- Lists the ids of tokens, trigger keys and runner tokens that lost rights after a time: they were revoked, disabled or
-- rotated, or their owner left. For `svcd admin revoke-tokens` after a restore to that time; docs/backup.md.
-- usage: psql -At -v since='2027-01-01 12:00:00+00' -f ended_since.sql DATABASE
-- Run it in a database that has the changes since: the old one, or a copy restored to the end of the archive.
SELECT t.id FROM tokens t
 WHERE t.revoked_at > :'since'::timestamptz
    OR t.owner_left_at > :'since'::timestamptz
    OR (NOT t.enabled AND t.updated_at > :'since'::timestamptz)
    OR EXISTS (SELECT FROM token_secrets s
                WHERE s.token_id = t.id AND s.created_at > :'since'::timestamptz
                  AND (t.created_at <= :'since'::timestamptz
                       OR EXISTS (SELECT FROM token_secrets o WHERE o.token_id = t.id AND o.created_at < s.created_at)))
UNION ALL
SELECT r.id FROM runner_tokens r WHERE r.revoked_at > :'since'::timestamptz;
