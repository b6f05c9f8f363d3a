#include "api/runs/run_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/run_store.hpp"

namespace svc::api {

task<result<reply>> get_run_status(call& c) {
  auto const found = co_await c.use.runs.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return reply{.body = run_status_json(*found), .version = found->version};
}

}  // namespace svc::api
