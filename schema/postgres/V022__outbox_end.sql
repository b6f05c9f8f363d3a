-- What Redis has learnt long ago is deleted, so that reading what it may not know stays small.
GRANT DELETE ON subject_outbox TO svc_service;
-- Each row is written, marked and deleted soon: dead entries at the head of its indexes would slow every look.
ALTER TABLE subject_outbox SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);
