#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/pages.hpp"
#include "api/replies.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::api {
namespace {

uuid wanted_incident(call const& c) {
  return c.path_id("incidentId");
}

store::incident_filter incident_filter_of(call const& c) {
  store::incident_filter out;
  if (auto const status = c.query_value("status")) out.status = pages::post_status_of(*status);
  return out;
}

/// Reads the affected components. An id, however it is spelled, may occur once.
std::vector<pages::affected_component> read_affected(boost::json::object const& body,
                                                     std::vector<field_error>& wrong) {
  std::vector<pages::affected_component> out;
  auto const* const list = given(body, "components");
  if (list == nullptr) return out;
  auto const ids = ids_in(body, "components");
  find_repeats(ids, "/components/", "/id", wrong);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto const status = pages::component_status_of(list->as_array().at(i).at("status").as_string());
    out.push_back({.id = ids[i], .status = status.value_or(pages::component_status::degraded_performance)});
  }
  return out;
}

/// Returns the status of the incident itself: a post-mortem leaves it resolved.
pages::post_status status_of_incident(pages::incident const& incident) {
  return incident.status == pages::post_status::postmortem ? pages::post_status::resolved : incident.status;
}

result<reply> incident_answer(call const& c, result<pages::incident> const& incident) {
  if (!incident) return incident.error();
  return shown_reply(c, *incident, incident_json);
}

}  // namespace

void incident_json(http::json_text& out, pages::incident const& incident) {
  out.member("id", incident.id)
      .member("pageId", incident.page)
      .member("name", incident.set.name)
      .member("impact", pages::to_text(incident.set.effect))
      .member("status", pages::to_text(status_of_incident(incident)))
      .open_list("components");
  for (auto const& affected : incident.set.components)
    out.open_element().member("id", affected.id).member("status", pages::to_text(affected.status)).close();
  out.close_list()
      .member("startedAt", incident.set.started_at)
      .member("resolvedAt", incident.resolved_at)
      .member("automatic", incident.automatic)
      .member("outageId", incident.outage)
      .open_list("updates");
  for (auto const& post : incident.posts) {
    out.open_element();
    incident_post_json(out, incident.id, post);
    out.close();
  }
  out.close_list().member("createdAt", incident.created_at).member("updatedAt", incident.updated_at);
}

result<pages::new_incident> read_incident(boost::json::object const& body) {
  std::vector<field_error> wrong;
  pages::new_incident out{.name = std::string(body.at("name").as_string()),
                          .effect = pages::impact::minor,
                          .components = read_affected(body, wrong),
                          .started_at = time_in(body, "startedAt"),
                          .first = read_post(body)};
  find_hidden("/name", out.name, nullptr, wrong);
  if (auto const impact = text_in(body, "impact")) out.effect = pages::impact_of(*impact).value_or(out.effect);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<pages::incident_settings> patch_incident(pages::incident const& current, boost::json::object const& patch) {
  std::vector<field_error> wrong;
  auto out = current.set;
  if (auto name = text_in(patch, "name")) out.name = std::move(*name);
  find_hidden("/name", out.name, &current.set.name, wrong);
  if (auto const impact = text_in(patch, "impact")) out.effect = pages::impact_of(*impact).value_or(out.effect);
  if (patch.contains("components")) out.components = read_affected(patch, wrong);
  out.started_at = time_in(patch, "startedAt", out.started_at).value_or(out.started_at);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

task<result<reply>> list_incidents(call& c) {
  auto const found = co_await c.use.stores.incidents.list(c.caller.project_id, c.path_id(), incident_filter_of(c),
                                                          c.page(), c.until);
  if (!found) co_return found.error();
  co_return page_reply(c, *found, incident_json);
}

task<result<reply>> create_incident(call& c) {
  auto wanted = read_incident(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made =
      co_await c.use.stores.incidents.create(edit_by(c), c.caller.owner_id, c.path_id(), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created(c, shown_reply(c, *made, incident_json),
                    "/api/status-pages/" + made->page.to_string() + "/incidents/" + made->id.to_string());
}

task<result<reply>> get_incident(call& c) {
  co_return incident_answer(
      c, co_await c.use.stores.incidents.get(c.caller.project_id, c.path_id(), wanted_incident(c), c.until));
}

task<result<reply>> update_incident(call& c) {
  auto edit = [&c](pages::incident const& current) { return patch_incident(current, c.body.as_object()); };
  co_return incident_answer(c, co_await c.use.stores.incidents.update(edit_by(c), c.path_id(), wanted_incident(c),
                                                                      std::move(edit), c.until));
}

task<result<reply>> delete_incident(call& c) {
  auto const done = co_await c.use.stores.incidents.remove(edit_by(c), c.path_id(), wanted_incident(c), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
