#include "api/edit_by.hpp"
#include "api/runs/run_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/run_store.hpp"

namespace svc::api {

task<result<reply>> list_runs(call& c) {
  store::run_filter filter{query_id(c, "jobId"), query_text(c, "status"), query_text(c, "trigger"),
                           query_time(c, "from"), query_time(c, "to")};
  auto const found = co_await c.use.runs.list(c.who.project_id, std::move(filter), c.page(), c.until);
  co_return page_reply(c, found, run_json);
}

}  // namespace svc::api
