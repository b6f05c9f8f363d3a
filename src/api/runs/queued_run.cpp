#include "api/runs/queued_run.hpp"

#include "api/location.hpp"
#include "api/runs/run_json.hpp"
#include "svc/api/services.hpp"
#include "svc/dispatch/dispatcher.hpp"

namespace svc::api {

reply queued_run(call const& c, run const& made, bool replayed) {
  if (!replayed) tell_runners(c, made.job_type);
  reply out{.status = 202, .body = run_json(made), .version = made.version};
  if (replayed) out.fields.emplace_back("Idempotent-Replayed", "true");
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/runs/" + made.id.to_string()));
  return out;
}

void tell_runners(call const& c, std::string const& job_type) {
  c.use.dispatch.queued({c.who.organization_id, c.who.project_id, job_type, 1});
}

}  // namespace svc::api
