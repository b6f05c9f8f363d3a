-- compatible from V041
-- The trace of the request that made a run (W3C Trace Context, `traceparent` as version 00 writes it), for its scripts.
SET LOCAL lock_timeout = '500ms';

ALTER TABLE run_history ADD COLUMN trace_parent text;
