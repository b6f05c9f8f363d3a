-- compatible from V037
-- Who serves: each instance says so every few seconds, and removes its row when it ends. Times are of this database,
-- because the clocks of instances differ. Versions before this one do not know the table, and are not in it.
CREATE TABLE instances (
  id uuid PRIMARY KEY,
  version text NOT NULL CHECK (length(version) <= 100),
  commit text NOT NULL CHECK (length(commit) <= 100),
  host text NOT NULL CHECK (length(host) <= 255),
  address text NOT NULL CHECK (length(address) <= 255),
  started_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, DELETE ON instances TO svc_service;
GRANT UPDATE (seen_at) ON instances TO svc_service;
