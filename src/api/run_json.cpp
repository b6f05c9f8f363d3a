#include "api/run_json.hpp"

#include "api/replies.hpp"

namespace svc::api {

boost::json::object run_json(run const& of) {
  boost::json::object out{{"id", of.id.to_string()},
                          {"jobId", or_null(of.job)},
                          {"jobName", or_null(of.job_name)},
                          {"testId", or_null(of.test)},
                          {"jobType", of.job_type},
                          {"status", of.status},
                          {"trigger", of.trigger},
                          {"triggeredBy", of.triggered_by},
                          {"parameters", boost::json::parse(of.parameters)},
                          {"attempt", of.attempt},
                          {"queuedAt", to_rfc3339(of.queued_at)},
                          {"startedAt", or_null(of.started_at)},
                          {"completedAt", or_null(of.completed_at)},
                          {"durationMs", or_null(duration_ms(of.started_at, of.completed_at))},
                          {"errorDetails", or_null(of.error_details)},
                          {"testCount", of.test_count},
                          {"tests", boost::json::parse(of.tests)},
                          {"reportUrl", or_null(of.report_url)},
                          {"createdAt", to_rfc3339(of.created_at)},
                          {"updatedAt", to_rfc3339(of.updated_at)}};
  if (of.deleted) out["deleted"] = true;
  return out;
}

boost::json::object run_status_json(run const& of) {
  return {{"id", of.id.to_string()},
          {"jobId", or_null(of.job)},
          {"status", of.status},
          {"startedAt", or_null(of.started_at)},
          {"completedAt", or_null(of.completed_at)},
          {"durationMs", or_null(duration_ms(of.started_at, of.completed_at))},
          {"errorDetails", or_null(of.error_details)}};
}

}  // namespace svc::api
