#include "svc/store/jobs/job_store.hpp"

#include "store/runs/new_run_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/domain/cron.hpp"
#include "svc/postgres/pool.hpp"

#include <map>

namespace svc::store {
namespace {

// In its own transaction, so that a check that finds nothing due (nearly all do) costs one round trip and no lock.
constexpr postgres::statement any_due{"schedule_any",
                                      "SELECT coalesce(min(next_run_at) <= statement_timestamp(), false) FROM jobs"};

// NO KEY, so that triggers of the job do not wait. A separate statement, because the snapshot of the next one is then
// newer than the locks and sees the runs that their previous holders created.
constexpr postgres::statement take_due{"schedule_take", R"(
SELECT id, cron_schedule, time_zone, clock_timestamp(), project_id FROM jobs WHERE next_run_at <= statement_timestamp()
 ORDER BY next_run_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)"};

// Each array has one element per job. `next`: microseconds since the epoch; negative: none. `room` 1: the project's
// queue has room. Runs are counted only for jobs with a limit, in the indexes for such jobs. Setting a limit waits
// for the job's lock, which `take_due` holds, so `limited` is what it will be.
constexpr auto fire_due_sql = sql(R"(
WITH due AS (
  SELECT job_id, run_id, audit_id, room,
         CASE WHEN next >= 0 THEN 'epoch'::timestamptz + next * interval '1 microsecond' END AS next
    FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[]), (SELECT $3::uuid[]), (SELECT $4::bigint[]),
                (SELECT $5::bigint[])) a (job_id, run_id, audit_id, next, room)
), moment AS MATERIALIZED (
  SELECT clock_timestamp() AS at
), checked AS MATERIALIZED (
  SELECT due.job_id, due.next, moment.at, id_at(moment.at, due.run_id) AS run_id, id_at(moment.at, due.audit_id) AS audit_id,
         j.project_id, p.organization_id, j.name, j.job_type, j.timeout_seconds, j.next_run_at AS due_at,
         j.max_concurrent_runs IS NOT NULL AS limited, planned.tests, planned.count AS test_count, told.defaults,
         CASE WHEN p.archived_at IS NOT NULL THEN 'project_archived'
              WHEN planned.count = 0 THEN 'job_has_no_tests'
              WHEN told.missing THEN 'parameters_missing'
              WHEN j.max_concurrent_runs <= active.runs THEN 'max_concurrent_runs'
              WHEN due.room = 0 THEN 'queue_full' END AS skipped
    FROM moment CROSS JOIN due JOIN jobs j ON j.id = due.job_id JOIN projects p ON p.id = j.project_id
   CROSS JOIN LATERAL ()",
                                  planned_tests, R"() planned
   CROSS JOIN LATERAL (
     SELECT coalesce(jsonb_object_agg(q ->> 'name', q -> 'default')
                     FILTER (WHERE jsonb_typeof(q -> 'default') = 'string'), '{}') AS defaults,
            coalesce(bool_or((q ->> 'required')::boolean AND q ->> 'default' IS NULL), false) AS missing
       FROM jsonb_array_elements(j.parameters) declared (q)) told
   CROSS JOIN LATERAL (
     SELECT CASE WHEN j.max_concurrent_runs IS NOT NULL THEN
              (SELECT count(*) FROM run_queue r WHERE r.project_id = j.project_id AND r.job_id = j.id
                  AND r.status = 'queued' AND r.limited)
              + (SELECT count(*) FROM run_queue r WHERE r.project_id = j.project_id AND r.job_id = j.id
                    AND r.status = 'running') END AS runs) active
), queued AS (
  INSERT INTO run_queue (run_id, project_id, job_id, job_type, trigger, limited, timeout_seconds, queued_at,
                         updated_at)
  SELECT run_id, project_id, job_id, job_type, 'schedule', limited, timeout_seconds, at, at
    FROM checked WHERE skipped IS NULL
), recorded AS (
  INSERT INTO run_history (id, project_id, job_id, job_name, job_type, trigger, triggered_by, parameters, tests,
                           test_count, created_at)
  SELECT run_id, project_id, job_id, name, job_type, 'schedule', 'schedule', defaults, tests, test_count, at
    FROM checked WHERE skipped IS NULL
), moved AS (
  UPDATE jobs SET next_run_at = CASE WHEN checked.skipped = 'project_archived' THEN NULL ELSE checked.next END
    FROM checked WHERE jobs.id = checked.job_id
), audited AS (
  INSERT INTO audit_log (id, organization_id, project_id, action, actor_name, resource, resource_id, details, created_at)
  SELECT audit_id, organization_id, project_id,
         CASE WHEN skipped IS NULL THEN 'job.triggered' ELSE 'job.schedule_skipped' END, 'schedule', 'job', job_id,
         jsonb_build_object('dueAt', to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
         || CASE WHEN skipped IS NULL THEN jsonb_build_object('run', run_id)
                 ELSE jsonb_build_object('reason', skipped) END, at
    FROM checked WHERE skipped IS DISTINCT FROM 'project_archived'
)
SELECT job_id, run_id, coalesce(skipped, ''), organization_id, project_id, job_type,
       greatest(0, extract(epoch FROM at - due_at) * 1000)::bigint, next IS NULL
  FROM checked)");
constexpr postgres::statement fire_due{"schedule_fire", fire_due_sql};

constexpr postgres::statement find_lost{"schedule_find_lost", R"(
SELECT j.id, j.cron_schedule, j.time_zone, clock_timestamp(), p.archived_at IS NOT NULL
  FROM jobs j JOIN projects p ON p.id = j.project_id
 WHERE j.next_run_at IS NULL AND j.cron_schedule IS NOT NULL AND j.enabled AND j.deleted_at IS NULL
   AND ($1::uuid IS NULL OR j.id > $1)
 ORDER BY j.id LIMIT $2)"};

constexpr postgres::statement skip_due{"schedule_skip", R"(
WITH due AS MATERIALIZED (
  SELECT j.id, j.project_id, p.organization_id, j.next_run_at AS due_at FROM jobs j JOIN projects p ON p.id = j.project_id
   WHERE j.next_run_at <= statement_timestamp() ORDER BY j.next_run_at LIMIT $2 FOR NO KEY UPDATE OF j
), moved AS (
  UPDATE jobs SET next_run_at = NULL FROM due WHERE jobs.id = due.id
), audited AS (
  INSERT INTO audit_log (id, organization_id, project_id, action, actor_name, resource, resource_id, details)
  SELECT id_at(clock_timestamp(), gen_random_uuid()), organization_id, project_id, 'job.schedule_skipped', 'operator',
         'job', id, jsonb_build_object('dueAt', to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                                       'reason', $1::text)
    FROM due
)
SELECT project_id, id FROM due)"};

// Leaves a job alone whose schedule has changed meanwhile: that change has computed its own next time.
constexpr postgres::statement give_next{"schedule_give", R"(
UPDATE jobs SET next_run_at = $2 WHERE id = $1 AND next_run_at IS NULL AND enabled AND deleted_at IS NULL
   AND cron_schedule = $3 AND time_zone = $4)"};

/// Empty also for a schedule that an older version of the service or of tzdata accepted and the current one does not.
std::optional<timestamp> next_of(postgres::row job) {
  auto const schedule = cron_schedule::parse(job.text(1));
  return schedule ? schedule->next_after(job.time(3), job.text(2)) : std::nullopt;
}

/// Finds a place in the queue of each job's project. Jobs whose queue is full are missing from the result.
task<std::map<uuid, queue_gate::reservation>> reserve_queue_slots(postgres::unit_of_work& work, queue_gate gate,
                                                                  std::map<uuid, uuid> project_of) {
  std::map<uuid, queue_gate::reservation> out;
  for (auto const& [job, project] : project_of) {
    auto reservation = co_await reserve_queue_slot(work, gate, project);
    if (reservation) out.emplace(job, std::move(*reservation));
  }
  co_return out;
}

}  // namespace

task<std::vector<fired_schedule>> schedule_store::fire(std::int64_t most, deadline until) {
  postgres::query look{any_due};
  if (!settled(co_await db_.run(std::move(look), until)).front().boolean(0)) co_return std::vector<fired_schedule>{};
  postgres::unit_of_work work = co_await db_.begin(until);
  postgres::query take{take_due, postgres::parameters(most)};
  postgres::rows const due = settled(co_await work.run(std::move(take)));
  std::vector<fired_schedule> out;
  if (due.empty()) co_return out;
  std::map<uuid, uuid> project_of;
  for (int i = 0; i < due.size(); ++i) project_of.emplace(due[i].id(0), due[i].id(4));
  auto reservations = co_await reserve_queue_slots(work, gate_, std::move(project_of));
  std::vector<uuid> jobs, runs, audits;
  std::vector<std::int64_t> nexts, rooms;
  for (int i = 0; i < due.size(); ++i) {
    auto const next = due[i].is_null(1) ? std::nullopt : next_of(due[i]);
    jobs.push_back(due[i].id(0));
    runs.push_back(uuid::generate_v7());
    audits.push_back(uuid::generate_v7());
    nexts.push_back(next ? next->micros : -1);
    rooms.push_back(reservations.contains(jobs.back()) ? 1 : 0);
  }
  std::vector<postgres::query> last{{fire_due, postgres::parameters(jobs, runs, audits, nexts, rooms)}};
  std::vector<postgres::rows> const done = settled(co_await work.commit(std::move(last)));
  postgres::rows const& fired = done.front();
  for (int i = 0; i < fired.size(); ++i) {
    auto const r = fired[i];
    out.push_back({r.id(0), r.id(1), std::string(r.text(2)), r.id(3), r.id(4), std::string(r.text(5)),
                   milliseconds(r.integer(6)), r.boolean(7)});
    if (auto const reservation = reservations.find(out.back().job);
        reservation != reservations.end() && !out.back().skipped.empty())
      reservation->second.give_back();
  }
  co_return out;
}

task<schedule_store::mended_job> schedule_store::mend(std::optional<uuid> after, std::int64_t most, deadline until) {
  postgres::query ask{find_lost, postgres::parameters(after, most)};
  postgres::rows const lost = settled(co_await db_.run(std::move(ask), until));
  std::vector<postgres::query> gifts;
  for (int i = 0; i < lost.size(); ++i) {
    auto const next = lost[i].boolean(4) ? std::nullopt : next_of(lost[i]);
    if (next)
      gifts.push_back({give_next, postgres::parameters(lost[i].id(0), *next, lost[i].text(1), lost[i].text(2))});
  }
  mended_job out{.given = static_cast<std::int64_t>(gifts.size())};
  if (lost.size() == most) out.after = lost[lost.size() - 1].id(0);
  if (!gifts.empty()) settled(co_await db_.run(std::move(gifts), until));
  co_return out;
}

task<std::vector<changed_thing>> schedule_store::skip_missed(std::string reason, std::int64_t most, deadline until) {
  postgres::query ask{skip_due, postgres::parameters(std::move(reason), most)};
  postgres::rows const done = settled(co_await db_.run(std::move(ask), until));
  std::vector<changed_thing> out;
  for (int i = 0; i < done.size(); ++i)
    out.push_back({.project = done[i].id(0), .resource = "job", .id = done[i].id(1)});
  co_return out;
}

}  // namespace svc::store
