#include "api/edit_by.hpp"
#include "svc/access/change_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/job_store.hpp"

namespace svc::api {

task<result<reply>> delete_job(call& c) {
  auto done = co_await c.use.jobs.remove(edit_by(c), c.path_id(), c.until);
  // Behind a 404 too: it tells of the deletion that ended the job's keys.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
