#pragma once

namespace svc::test {

/// Statements for the tables' owner. They delete all rows of the audit log and end its first partition three days
/// ago, with five rows of the action `old`. Another partition has the time since then.
inline constexpr auto aged_audit_sql = R"(
DO $$
DECLARE
  cut timestamptz := date_trunc('day', now(), 'UTC') - interval '3 days';
  ends timestamptz := (SELECT to_time FROM time_partitions WHERE name = 'audit_log_first');
BEGIN
  DELETE FROM audit_log;
  ALTER TABLE audit_log DETACH PARTITION audit_log_first;
  EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION audit_log_first FOR VALUES FROM (MINVALUE) TO (%L)',
                 first_id_at(cut));
  EXECUTE format('CREATE TABLE audit_log_now PARTITION OF audit_log FOR VALUES FROM (%L) TO (%L)', first_id_at(cut),
                 first_id_at(ends));
  UPDATE time_partitions SET to_time = cut WHERE name = 'audit_log_first';
  INSERT INTO time_partitions VALUES ('audit_log_now', 'audit_log', cut, ends);
END $$;
INSERT INTO audit_log (id, action, actor_name, resource)
SELECT id_at(now() - interval '5 days', gen_random_uuid()), 'old', 'ada', 'job' FROM generate_series(1, 5);
)";

}  // namespace svc::test
