#include "api/jobs/job_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/job_store.hpp"

namespace svc::api {

task<result<reply>> get_job(call& c) {
  auto const found = co_await c.use.jobs.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return reply{.body = job_json(*found), .version = found->version};
}

}  // namespace svc::api
