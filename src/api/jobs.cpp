#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/domain/run.hpp"
#include "svc/store/repositories.hpp"

#include <string>
#include <vector>

namespace svc::api {

namespace {

/// The members that users set.
void settings_json(http::json_text& out, job_settings const& set) {
  out.member("name", set.name).member("description", set.description).member("jobType", set.job_type);
  out.open_list("tests");
  for (uuid const id : set.tests) out.open_element().member("id", id).close();
  out.close_list()
      .member("cronSchedule", set.cron_schedule)
      .member("timeZone", set.time_zone)
      .member("enabled", set.enabled)
      .member("timeoutSeconds", set.timeout_seconds)
      .member("maxConcurrentRuns", set.max_concurrent_runs)
      .stored_member("parameters", set.parameters)
      .stored_member("alertConfig", set.alert_config ? std::string_view(*set.alert_config) : "null");
}

void last_run_json(http::json_text& out, std::optional<last_run> const& last) {
  if (!last) {
    out.member("lastRun", nullptr).member("lastRunAt", nullptr);
    return;
  }
  out.open("lastRun")
      .member("id", last->id)
      .member("status", last->status)
      .member("startedAt", last->started_at)
      .member("completedAt", last->completed_at)
      .member("durationMs", duration_ms(last->started_at, last->completed_at))
      .close()
      .member("lastRunAt", last->queued_at);
}

/// The parameters as they are stored, with every member; adds their names to `names`.
std::string read_parameters(boost::json::array const& array, std::vector<std::string>& names) {
  boost::json::array out;
  for (auto const& entry : array) {
    auto const& parameter = entry.as_object();
    boost::json::object made{{"name", parameter.at("name")}, {"required", flag_in(parameter, "required", false)}};
    if (auto const value = text_in(parameter, "default")) made["default"] = *value;
    out.push_back(std::move(made));
    names.emplace_back(parameter.at("name").as_string());
  }
  return boost::json::serialize(out);
}

/// The alert configuration as it is stored, with every member, and the providers' ids in canonical spelling.
std::string read_alerts(boost::json::object const& object, std::vector<uuid> const& providers) {
  boost::json::array ids;
  for (uuid const id : providers) ids.emplace_back(id.to_string());
  return boost::json::serialize(
      boost::json::object{{"enabled", flag_in(object, "enabled", false)},
                          {"notificationProviders", std::move(ids)},
                          {"alertOnFailure", flag_in(object, "alertOnFailure", true)},
                          {"alertOnSuccess", flag_in(object, "alertOnSuccess", false)},
                          {"alertOnTimeout", flag_in(object, "alertOnTimeout", true)},
                          {"alertOnRecovery", flag_in(object, "alertOnRecovery", false)},
                          {"failureThreshold", number_in(object, "failureThreshold").value_or(1)},
                          {"recoveryThreshold", number_in(object, "recoveryThreshold").value_or(1)},
                          {"customMessage", text_in(object, "customMessage").value_or("")}});
}

}  // namespace

void job_json(http::json_text& out, job const& job) {
  out.member("id", job.id);
  settings_json(out, job.set);
  out.member("status", job.status());
  last_run_json(out, job.last);
  out.member("nextRunAt", job.next_run_at)
      .member("testCount", job.set.tests.size())
      .member("createdBy", job.created_by)
      .member("createdAt", job.created_at)
      .member("updatedAt", job.updated_at);
}

result<job_settings> patch_job(http::body_validator& contract, job const& current, boost::json::object const& patch) {
  auto now = boost::json::parse(http::written(settings_json, current.set)).as_object();
  auto const merged = patched(contract, "CreateJob", std::move(now), patch);
  if (!merged) return merged.error();
  return read_job(*merged, &current.set);
}

result<job_settings> read_job(boost::json::object const& body, job_settings const* before) {
  job_settings out{.name = std::string(body.at("name").as_string()), .description = text_in(body, "description")};
  out.job_type = text_in(body, "jobType").value_or(out.job_type);
  out.tests = ids_in(body, "tests");
  out.cron_schedule = text_in(body, "cronSchedule");
  out.time_zone = text_in(body, "timeZone").value_or(out.time_zone);
  out.enabled = flag_in(body, "enabled", out.enabled);
  out.timeout_seconds = number_in(body, "timeoutSeconds").value_or(out.timeout_seconds);
  out.max_concurrent_runs = number_in(body, "maxConcurrentRuns");
  std::vector<std::string> parameters;
  if (auto const* const list = given(body, "parameters"))
    out.parameters = read_parameters(list->as_array(), parameters);
  if (auto const* const alerts = given(body, "alertConfig")) {
    out.alert_providers = ids_in(alerts->as_object(), "notificationProviders");
    out.alert_config = read_alerts(alerts->as_object(), out.alert_providers);
  }
  std::vector<field_error> wrong;
  find_hidden("/name", out.name, before == nullptr ? nullptr : &before->name, wrong);
  if (auto const ok = check_job(out, parameters); !ok)
    for (auto const& each : ok.error().details) wrong.push_back(each);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

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
  auto const made = co_await c.use.stores.jobs.create(edit_by(c), c.caller.owner_id, std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created(c, shown_reply(c, *made, job_json), "/api/jobs/" + made->id.to_string());
}

task<result<reply>> list_jobs(call& c) {
  store::job_filter filter{query_text(c, "status"), query_text(c, "search"), order_of(c.query_value("sort"))};
  auto const found = co_await c.use.stores.jobs.list(c.caller.project_id, std::move(filter), c.page(), c.until);
  co_return page_reply(c, found, job_json);
}

task<result<reply>> get_job(call& c) {
  auto const found = co_await c.use.stores.jobs.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return shown_reply(c, *found, job_json);
}

task<result<reply>> update_job(call& c) {
  auto edit = [&c](job const& current) { return patch_job(c.contract, current, c.body.as_object()); };
  auto const done = co_await c.use.stores.jobs.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return shown_reply(c, *done, job_json);
}

task<result<reply>> delete_job(call& c) {
  auto done = co_await c.use.stores.jobs.remove(edit_by(c), c.path_id(), c.until);
  // After a 404 too: it reveals the deletion that ended the job's keys.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return reply{.status = 204};
}

task<result<reply>> get_job_trigger(call& c) {
  auto const found = co_await c.use.stores.jobs.get(c.caller.project_id, c.path_id(), c.until);
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
