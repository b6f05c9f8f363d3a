#include "api/runs/run_json.hpp"
#include "api/wait.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/output/run_watch.hpp"
#include "svc/store/run_store.hpp"

namespace svc::api {

task<result<reply>> get_run(call& c) {
  auto const wait = wanted_wait(c);
  if (!wait) co_return wait.error();
  auto found = co_await c.use.runs.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  if (*wait && !found->completed_at) {
    auto later = co_await c.use.watch.until_ended(c.who.project_id, c.path_id(), deadline::after(**wait));
    if (!later) throw unavailable("the run could not be read behind the wait");
    found = std::move(*later);
  }
  co_return reply{.body = run_json(*found), .version = found->version};
}

}  // namespace svc::api
