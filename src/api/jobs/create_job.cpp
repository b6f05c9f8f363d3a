#include "api/edit_by.hpp"
#include "api/jobs/job_json.hpp"
#include "api/location.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/job_store.hpp"

namespace svc::api {

task<result<reply>> create_job(call& c) {
  auto wanted = read_job(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.jobs.create(edit_by(c), c.who.owner_id, std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created_reply(c, job_json(*made), made->version, "/api/jobs/" + made->id.to_string());
}

}  // namespace svc::api
