#include "api/jobs/job_json.hpp"

#include "api/json_values.hpp"
#include "api/merge_patch.hpp"
#include "svc/domain/run.hpp"

namespace svc::api {
namespace {

/// The members that users set.
boost::json::object settings_json(job_settings const& set) {
  boost::json::array tests;
  for (uuid const id : set.tests) tests.push_back(boost::json::object{{"id", id.to_string()}});
  return {{"name", set.name},
          {"description", or_null(set.description)},
          {"jobType", set.job_type},
          {"tests", std::move(tests)},
          {"cronSchedule", or_null(set.cron_schedule)},
          {"timeZone", set.time_zone},
          {"enabled", set.enabled},
          {"timeoutSeconds", set.timeout_seconds},
          {"maxConcurrentRuns", or_null(set.max_concurrent_runs)},
          {"parameters", boost::json::parse(set.parameters)},
          {"alertConfig", set.alert_config ? boost::json::parse(*set.alert_config) : boost::json::value()}};
}

boost::json::value last_run_json(std::optional<last_run> const& last) {
  if (!last) return nullptr;
  return {{"id", last->id.to_string()},
          {"status", last->status},
          {"startedAt", or_null(last->started_at)},
          {"completedAt", or_null(last->completed_at)},
          {"durationMs", or_null(duration_ms(last->started_at, last->completed_at))}};
}

}  // namespace

boost::json::object job_json(job const& of) {
  boost::json::object out{{"id", of.id.to_string()}};
  for (auto& member : settings_json(of.set)) out[member.key()] = member.value();
  out["status"] = of.status();
  out["lastRun"] = last_run_json(of.last);
  out["lastRunAt"] = of.last ? boost::json::value(to_rfc3339(of.last->queued_at)) : boost::json::value();
  out["nextRunAt"] = or_null(of.next_run_at);
  out["testCount"] = of.set.tests.size();
  out["createdBy"] = of.created_by.to_string();
  out["createdAt"] = to_rfc3339(of.created_at);
  out["updatedAt"] = to_rfc3339(of.updated_at);
  return out;
}

result<job_settings> patch_job(job const& current, boost::json::object const& patch) {
  auto const merged = merge_patch(settings_json(current.set), patch);
  auto wanted = read_job(merged);
  if (wanted && wanted->job_type != current.set.job_type) {
    return error(errc::validation_failed, {}, {{"/jobType", "cannot be changed"}});
  }
  return wanted;
}

}  // namespace svc::api
