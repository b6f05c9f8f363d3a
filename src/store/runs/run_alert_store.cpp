#include "svc/store/runs/run_alert_store.hpp"

#include "store/sql/settled.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/domain/monitoring/alerting/run_alerts.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc::store {
namespace {

// The query jumps from job to job in the key, not from run to run. This statement and the next are planned for the
// current state of the table. The table is mostly empty, and a plan from that time would read the whole table once it
// is full.
constexpr postgres::statement find_due{.name = "run_alerts_find",
                                       .sql = R"(
WITH RECURSIVE waiting AS (
  (SELECT job_id FROM run_alerts_due WHERE job_id > $1 ORDER BY job_id LIMIT 1)
  UNION ALL
  SELECT (SELECT d.job_id FROM run_alerts_due d WHERE d.job_id > w.job_id ORDER BY d.job_id LIMIT 1)
    FROM waiting w WHERE w.job_id IS NOT NULL
)
SELECT job_id FROM waiting WHERE job_id IS NOT NULL LIMIT $2)",
                                       .planned_each_time = true};

// The runs of a job count one after the other, so one transaction at a time counts them.
constexpr postgres::statement lock_streaks{"run_alerts_lock", R"(
SELECT s.job_id, s.failures, s.passes, coalesce((j.alert_config ->> 'alertOnFailure')::boolean, true),
       coalesce((j.alert_config ->> 'alertOnSuccess')::boolean, false),
       coalesce((j.alert_config ->> 'alertOnTimeout')::boolean, true),
       coalesce((j.alert_config ->> 'alertOnRecovery')::boolean, false),
       coalesce((j.alert_config ->> 'failureThreshold')::bigint, 1),
       coalesce((j.alert_config ->> 'recoveryThreshold')::bigint, 1), j.project_id
  FROM job_streaks s JOIN jobs j ON j.id = s.job_id
 WHERE s.job_id = ANY ($1) FOR NO KEY UPDATE OF s SKIP LOCKED)"};

// This statement runs after the lock, so that it sees the runs that other transactions took. It also takes runs of
// jobs whose alerts are disabled; these runs do not count.
constexpr postgres::statement take_runs{.name = "run_alerts_take",
                                        .sql = R"(
WITH taken AS (
  DELETE FROM run_alerts_due WHERE ctid = ANY (ARRAY(
    SELECT d.ctid FROM unnest($1::uuid[]) w(job_id) CROSS JOIN LATERAL (
      SELECT x.ctid FROM run_alerts_due x WHERE x.job_id = w.job_id ORDER BY x.ended_at, x.run_id LIMIT $3) d
     WHERE w.job_id = ANY ($2::uuid[]) OR NOT EXISTS (SELECT FROM job_streaks s WHERE s.job_id = w.job_id)))
  RETURNING run_id, job_id, status, ended_at
)
SELECT t.run_id, t.job_id, t.status, left(e.error_details, 1000)
  FROM taken t
  LEFT JOIN LATERAL (SELECT r.error_details FROM run_results r WHERE r.run_id = t.run_id LIMIT 1) e ON true
 ORDER BY t.job_id, t.ended_at, t.run_id)",
                                        .planned_each_time = true};

// The providers that the job names, and the providers that were notified of its failures.
constexpr postgres::statement read_job_receivers{"run_alerts_receivers", R"(
SELECT s.job_id, p.id, NOT p.enabled, p.type = 'pagerduty', n.named, n.told
  FROM job_streaks s JOIN jobs j ON j.id = s.job_id
 CROSS JOIN LATERAL (
   SELECT u.id, bool_or(u.named) AS named, bool_or(NOT u.named) AS told
     FROM (SELECT a.value::uuid AS id, true AS named
             FROM jsonb_array_elements_text(coalesce(j.alert_config -> 'notificationProviders', '[]')) a
            UNION ALL SELECT t.id, false FROM unnest(s.told) t(id)) u
    GROUP BY u.id) n
  JOIN notification_providers p ON p.id = n.id AND p.project_id = j.project_id
 WHERE s.job_id = ANY ($1)
 ORDER BY s.job_id, p.id)"};

constexpr postgres::statement write_streaks{"run_alerts_count", R"(
UPDATE job_streaks s SET failures = w.failures, passes = w.passes, told = w.told::uuid[]
  FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[]) w(job_id, failures, passes, told)
 WHERE s.job_id = w.job_id)"};

// The alerts are in the order in which the runs count. Each provider gets them in this order.
constexpr postgres::statement insert_run_alerts{"run_alerts_insert", R"(
INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id, provider_name,
                    status, suppressed_by, error_message, created_at)
SELECT gen_random_uuid(), j.project_id, w.type, 'job', j.id, j.name, w.run_id, 0, p.id, p.name,
       CASE WHEN w.suppressed THEN 'suppressed' ELSE 'pending' END, CASE WHEN w.suppressed THEN 'provider_disabled' END,
       w.error_message, now.at + w.place * interval '1 microsecond'
  FROM (SELECT clock_timestamp() AS at) now,
       unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::boolean[], $6::text[])
       WITH ORDINALITY w(run_id, job_id, type, provider_id, suppressed, error_message, place)
  JOIN jobs j ON j.id = w.job_id
  JOIN notification_providers p ON p.id = w.provider_id AND p.project_id = j.project_id
ON CONFLICT ON CONSTRAINT alerts_told_once DO NOTHING)"};

/// Names in the order of the enumerations.
constexpr std::array<std::string_view, 4> run_alert_names{"job_failed", "job_timeout", "job_success",
                                                          "job_recovered"};
constexpr std::array<std::string_view, 4> run_end_names{"passed", "failed", "error", "timed_out"};

struct locked_job {
  alerting::job_alert_settings settings{};
  alerting::run_streak streak{};
  uuid project{};
};
using locked_jobs = std::map<uuid, locked_job>;

/// An alert with its run and job.
struct written_run_alert {
  uuid run{}, job{};
  alerting::run_alert alert;
  std::optional<std::string> error_message{};
};

locked_jobs read_locked(postgres::rows const& found) {
  locked_jobs out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    out[r.id(0)] = {.settings = {.on_failure = r.boolean(3),
                                 .on_success = r.boolean(4),
                                 .on_timeout = r.boolean(5),
                                 .on_recovery = r.boolean(6),
                                 .failure_threshold = r.integer(7),
                                 .recovery_threshold = r.integer(8)},
                    .streak = {.failures = r.integer(1), .passes = r.integer(2)},
                    .project = r.id(9)};
  }
  return out;
}

void add_receivers(postgres::rows const& found, locked_jobs& jobs) {
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    alerting::provider const provider{.id = r.id(1), .disabled = r.boolean(2), .resolves = r.boolean(3)};
    auto& job = jobs.at(r.id(0));
    if (r.boolean(4)) job.settings.providers.push_back(provider);
    if (r.boolean(5)) job.streak.notified.push_back(provider);
  }
}

std::vector<written_run_alert> count_runs(postgres::rows const& runs, locked_jobs& jobs) {
  std::vector<written_run_alert> out;
  for (int i = 0; i < runs.size(); ++i) {
    auto const job = jobs.find(runs[i].id(1));
    if (job == jobs.end()) continue;
    auto const ended = std::ranges::find(run_end_names, runs[i].text(2)) - run_end_names.begin();
    auto counted = alerting::count_run(job->second.settings, std::move(job->second.streak),
                                       static_cast<alerting::run_end>(ended));
    job->second.streak = std::move(counted.after);
    for (auto const& each : counted.alerts) out.push_back({runs[i].id(0), job->first, each, runs[i].maybe_text(3)});
  }
  return out;
}

std::string array_text(std::vector<alerting::provider> const& providers) {
  std::string out = "{";
  for (auto const& each : providers) out += (out.size() > 1 ? "," : "") + each.id.to_string();
  return out + "}";
}

postgres::query streaks_query(locked_jobs const& jobs) {
  using job_row = locked_jobs::value_type const&;
  postgres::parameters parameters;
  parameters.add_array(jobs, [](job_row j) { return j.first; });
  parameters.add_array(jobs, [](job_row j) { return j.second.streak.failures; });
  parameters.add_array(jobs, [](job_row j) { return j.second.streak.passes; });
  parameters.add_array(jobs, [](job_row j) { return array_text(j.second.streak.notified); });
  return {write_streaks, std::move(parameters)};
}

postgres::query alerts_query(std::vector<written_run_alert> const& all) {
  using alert_row = written_run_alert const&;
  postgres::parameters parameters;
  parameters.add_array(all, [](alert_row a) { return a.run; });
  parameters.add_array(all, [](alert_row a) { return a.job; });
  parameters.add_array(all, [](alert_row a) { return run_alert_names[static_cast<std::size_t>(a.alert.type)]; });
  parameters.add_array(all, [](alert_row a) { return a.alert.id; });
  parameters.add_array(all, [](alert_row a) { return a.alert.suppressed.has_value(); });
  parameters.add_array(all, [](alert_row a) { return a.error_message; });
  return {insert_run_alerts, std::move(parameters)};
}

/// True if any job's share was full.
bool is_any_full(postgres::rows const& runs, std::int64_t runs_of_job) {
  std::map<uuid, std::int64_t> counts;
  bool out = false;
  for (int i = 0; i < runs.size(); ++i) out = ++counts[runs[i].id(1)] == runs_of_job || out;
  return out;
}

}  // namespace

task<run_alert_store::taken_alerts> run_alert_store::take(std::vector<uuid> due, std::int64_t runs_of_job,
                                                          deadline until) {
  auto work = co_await db_.begin(until);
  postgres::query lock{lock_streaks, postgres::parameters(due)};
  auto jobs = read_locked(settled(co_await work.run(std::move(lock))));
  auto const ids = postgres::column<uuid>(jobs, [](auto const& j) { return j.first; });
  std::vector<postgres::query> both{{take_runs, postgres::parameters(due, ids, runs_of_job)},
                                    {read_job_receivers, postgres::parameters(ids)}};
  auto const found = settled(co_await work.run(std::move(both)));
  add_receivers(found[1], jobs);
  auto const alerts = count_runs(found[0], jobs);
  std::vector<postgres::query> last;
  if (!jobs.empty()) last.push_back(streaks_query(jobs));
  if (!alerts.empty()) last.push_back(alerts_query(alerts));
  SVC_FAILPOINT("run_alerts.before_commit");
  settled(co_await work.commit(std::move(last)));
  SVC_FAILPOINT("run_alerts.after_commit");
  taken_alerts out{.runs = found[0].size(), .more = is_any_full(found[0], runs_of_job)};
  // The database gives the alerts their ids.
  for (auto const& each : alerts) out.changes.push_back({jobs.at(each.job).project, "alert", std::nullopt});
  co_return out;
}

task<run_alert_store::taken_alerts> run_alert_store::evaluate(std::int64_t jobs, std::int64_t runs_of_job,
                                                              deadline until) {
  postgres::query find{find_due, postgres::parameters(after_, jobs)};
  auto due = read_ids(settled(co_await db_.run(std::move(find), until)));
  bool const last = std::ssize(due) < jobs;
  after_ = last ? uuid() : due.back();
  taken_alerts out;
  if (!due.empty()) out = co_await take(std::move(due), runs_of_job, until);
  again_ = again_ || out.more;
  out.more = last ? std::exchange(again_, false) : true;
  co_return out;
}

}  // namespace svc::store
