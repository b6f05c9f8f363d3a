#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/job_store.hpp"

namespace svc::api {

task<result<reply>> get_job_trigger(call& c) {
  auto const found = co_await c.use.jobs.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  std::string const id = found->id.to_string();
  std::string const url = c.use.public_url + "/api/jobs/" + id + "/trigger";
  reply out;
  out.body = {{"job", {{"id", id}, {"name", found->set.name}}},
              {"triggerUrl", url},
              {"curl", "curl -X POST -H \"Authorization: Bearer $SERVICE_TRIGGER_KEY\" " + url}};
  co_return out;
}

}  // namespace svc::api
