-- compatible from V041
-- The seed of advisory locks whose names contain what tenants choose. The hash of a lock's name is no secret, so without a
-- seed a tenant could choose a key that has the lock of another tenant's job, or of the service.
SET LOCAL lock_timeout = '500ms';

CREATE TABLE lock_seed (
  one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  seed    bigint NOT NULL,
  since   timestamptz NOT NULL     -- until then it is 0
);
-- Instances of the version before use 0, and may run beside newer ones while these are deployed.
INSERT INTO lock_seed (seed, since)
SELECT ('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::bigint,
       CASE WHEN EXISTS (SELECT FROM jobs) THEN clock_timestamp() + interval '1 day' ELSE '-infinity' END;
GRANT SELECT ON lock_seed TO svc_service;
