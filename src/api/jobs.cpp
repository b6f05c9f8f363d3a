#include "api/call_options.hpp"
#include "api/job_json.hpp"
#include "api/replies.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

store::job_order order_of(std::optional<std::string_view> sort) {
  if (sort == "createdAt") return store::job_order::oldest;
  if (sort == "name") return store::job_order::name;
  if (sort == "-name") return store::job_order::name_descending;
  return store::job_order::newest;
}

}  // namespace

task<result<reply>> create_job(call& c) {
  auto wanted = read_job(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.stores.jobs.create(edit_by(c), c.who.owner_id, std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created_reply(c, job_json(*made), made->version, "/api/jobs/" + made->id.to_string());
}

task<result<reply>> list_jobs(call& c) {
  store::job_filter filter{query_text(c, "status"), query_text(c, "search"), order_of(c.query_value("sort"))};
  auto const found = co_await c.use.stores.jobs.list(c.who.project_id, std::move(filter), c.page(), c.until);
  co_return page_reply(c, found, job_json);
}

task<result<reply>> get_job(call& c) {
  auto const found = co_await c.use.stores.jobs.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return reply{.body = job_json(*found), .version = found->version};
}

task<result<reply>> update_job(call& c) {
  auto edit = [&c](job const& current) { return patch_job(c.contract, current, c.body.as_object()); };
  auto const done = co_await c.use.stores.jobs.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = job_json(*done), .version = done->version};
}

task<result<reply>> delete_job(call& c) {
  auto done = co_await c.use.stores.jobs.remove(edit_by(c), c.path_id(), c.until);
  // Behind a 404 too: it tells of the deletion that ended the job's keys.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return reply{.status = 204};
}

task<result<reply>> get_job_trigger(call& c) {
  auto const found = co_await c.use.stores.jobs.get(c.who.project_id, c.path_id(), c.until);
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
