#include "api/edit_by.hpp"
#include "api/jobs/job_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/job_store.hpp"

namespace svc::api {
namespace {

store::job_order order_of(std::optional<std::string_view> sort) {
  if (sort == "createdAt") return store::job_order::oldest;
  if (sort == "name") return store::job_order::name;
  if (sort == "-name") return store::job_order::name_descending;
  return store::job_order::newest;
}

}  // namespace

task<result<reply>> list_jobs(call& c) {
  store::job_filter filter{query_text(c, "status"), query_text(c, "search"), order_of(c.query_value("sort"))};
  auto const found = co_await c.use.jobs.list(c.who.project_id, std::move(filter), c.page(), c.until);
  co_return page_reply(c, found, job_json);
}

}  // namespace svc::api
