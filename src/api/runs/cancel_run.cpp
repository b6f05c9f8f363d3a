#include "api/edit_by.hpp"
#include "api/runs/run_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/dispatch/dispatcher.hpp"
#include "svc/output/run_watch.hpp"
#include "svc/store/run_store.hpp"

namespace svc::api {

task<result<reply>> cancel_run(call& c) {
  auto const done = co_await c.use.runs.cancel(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  if (done->completed_at)
    c.use.watch.wake(c.path_id());
  else
    c.use.dispatch.cancel_requested(c.path_id());
  co_return reply{.status = 202, .body = run_json(*done), .version = done->version};
}

}  // namespace svc::api
