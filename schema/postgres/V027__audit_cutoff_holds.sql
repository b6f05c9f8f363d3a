-- outside a transaction: each statement by itself
-- Ids of a clock that was days ahead, or of no time at all: no other row has the id of an audit row.
UPDATE audit_log SET id = id_at(created_at, id)
 WHERE id >= (SELECT first_id_at(to_time) FROM time_partitions WHERE name = 'audit_log_first');
ALTER TABLE audit_log VALIDATE CONSTRAINT audit_log_cutoff;
