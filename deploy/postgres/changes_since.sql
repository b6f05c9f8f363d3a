-- Lists what a restore to a time loses, in order of time: changes (ended_since.sql has those of tokens' secrets), and runs
-- with their results. People read it to repeat changes and to notify users; docs/backup.md.
-- usage: psql -At -F ' ' -v since='2027-01-01 12:00:00+00' -f changes_since.sql DATABASE
SELECT a.created_at, a.action, a.actor_name, a.resource, a.resource_id, o.slug, p.slug, a.details
  FROM audit_log a LEFT JOIN organizations o ON o.id = a.organization_id LEFT JOIN projects p ON p.id = a.project_id
 WHERE a.id >= first_id_at(:'since'::timestamptz) AND a.action NOT IN ('job.triggered', 'run.ended')
 ORDER BY a.id;
SELECT h.created_at, 'run', h.id, p.slug, coalesce(h.job_name, 'test'), h.trigger, h.triggered_by,
       coalesce(e.status, q.status), e.completed_at
  FROM run_history h JOIN projects p ON p.id = h.project_id
  LEFT JOIN run_results e ON e.run_id = h.id LEFT JOIN run_queue q ON q.run_id = h.id
 WHERE h.id >= first_id_at(:'since'::timestamptz) OR e.completed_at > :'since'::timestamptz
 ORDER BY h.id;
