"""Fills a project with jobs, ended runs, trigger keys, paused monitors and outages, as an active team has them."""

JOBS, MONITORS = 300, 300
# An organisation may have 50 runner tokens with 1 000 runners each. This registers all 50 000 runners with 25 tokens, so
# that other cases can create runner tokens.
TOKENS, RUNNERS = 25, 2000
FILL_RUNNERS = """
WITH made AS (
  INSERT INTO runner_tokens (id, organization_id, project_id, name, start, digest)
  SELECT gen_random_uuid(), '{organization}', '{project}', 'polled ' || i, 'svc_runner_polled', sha256(('polled ' || i)::bytea)
    FROM generate_series(1, {tokens}) i RETURNING id)
INSERT INTO runners (id, token_id, name, version, labels, slots, last_seen_at)
SELECT gen_random_uuid(), made.id, 'runner ' || i, '1', '{{command}}', 100, now() - i * interval '1 second'
  FROM made, generate_series(1, {runners}) i;
ANALYZE runners; ANALYZE runner_tokens"""
FILL = """
INSERT INTO jobs (id, project_id, name, job_type, created_by)
SELECT gen_random_uuid(), '{project}', 'polled ' || i, 'command', '{user}' FROM generate_series(1, {jobs}) i;
WITH made AS (INSERT INTO subjects (id) SELECT gen_random_uuid() FROM generate_series(1, {jobs}) RETURNING id),
keys AS (SELECT id, row_number() OVER () AS n FROM made),
places AS (SELECT id, row_number() OVER () AS n FROM jobs WHERE name LIKE 'polled %')
INSERT INTO tokens (id, kind, project_id, job_id, owner_id, created_by, name, start, slot)
SELECT k.id, 'trigger', '{project}', p.id, '{user}', '{user}', 'polled', 'svc_trigger_polled', 1
  FROM keys k JOIN places p USING (n);
INSERT INTO token_last_use (token_id, used_at) SELECT id, now() FROM tokens WHERE start = 'svc_trigger_polled';
CREATE TEMP TABLE polled AS
SELECT id_at(t.at, gen_random_uuid()) AS id, j.id AS job, j.project_id, t.status, t.at
  FROM jobs j, (SELECT CASE WHEN n % 4 = 0 THEN 'failed' ELSE 'passed' END AS status, now() - n * interval '20 minutes' AS at
                  FROM generate_series(1, 60) n) t
 WHERE j.name LIKE 'polled %';
INSERT INTO run_history (id, project_id, job_id, job_name, job_type, trigger, triggered_by, test_count, created_at)
SELECT id, project_id, job, 'j', 'command', 'remote', 'ci', 1, at FROM polled;
INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, started_at, completed_at, version)
SELECT id, project_id, job, 'remote', status, 1, at, at + interval '1 minute', 3 FROM polled;
INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, attempts_seconds, created_by, enabled)
SELECT gen_random_uuid(), '{project}', 'polled ' || i, 'http_request', 'https://a.test/', 1, 30, '{user}', false
  FROM generate_series(1, {monitors}) i;
INSERT INTO monitor_status (monitor_id) SELECT id FROM monitors WHERE name LIKE 'polled %';
INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause, cause_message,
                     cause_location, locations_down)
SELECT gen_random_uuid(), m.project_id, m.id, t.at, t.at, t.at + interval '5 minutes', 'recovered', 1, '', 'local', '{{local}}'
  FROM monitors m, (SELECT now() - n * interval '20 minutes' AS at FROM generate_series(1, 60) n) t
 WHERE m.name LIKE 'polled %'"""


def fill(installation, project, user):
    """Returns the ids of the monitors and of the jobs."""
    installation.sql(FILL.format(user=user, project=project, jobs=JOBS, monitors=MONITORS))
    return [installation.sql(f"SELECT id FROM {table} WHERE name LIKE 'polled %' ORDER BY id")
            for table in ("monitors", "jobs")]


def fill_runners(installation, organization, project):
    """Registers as many runners as an organisation may have."""
    installation.sql(FILL_RUNNERS.format(organization=organization, project=project, tokens=TOKENS, runners=RUNNERS))
