#include "api/edit_by.hpp"
#include "api/jobs/job_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/job_store.hpp"

namespace svc::api {

task<result<reply>> update_job(call& c) {
  auto edit = [patch = c.body.as_object()](job const& current) { return patch_job(current, patch); };
  auto const done = co_await c.use.jobs.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = job_json(*done), .version = done->version};
}

}  // namespace svc::api
