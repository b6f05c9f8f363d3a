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

constexpr std::string_view component_path = "componentId";

/// Reads the override. The end of a stored override may be over already.
void read_override(boost::json::object const& body, timestamp now, pages::component_settings const* before,
                   pages::component_settings& out, std::vector<field_error>& wrong) {
  if (auto const status = text_in(body, "statusOverride")) out.override_status = pages::component_status_of(*status);
  auto const stored = before == nullptr ? std::nullopt : before->override_until;
  out.override_until = time_in(body, "overrideUntil", stored);
  if (!out.override_until) return;
  if (!out.override_status) wrong.push_back({"/overrideUntil", "is only allowed together with statusOverride"});
  if (out.override_until != stored && *out.override_until <= now)
    wrong.push_back({"/overrideUntil", "must be in the future"});
}

void check_component_names(pages::component_settings const& set, pages::component_settings const* before,
                           std::vector<field_error>& wrong) {
  find_hidden("/name", set.name, before == nullptr ? nullptr : &before->name, wrong);
  if (set.group)
    find_hidden("/group", *set.group, before != nullptr && before->group ? &*before->group : nullptr, wrong);
  find_repeats(set.monitors, "/monitorIds/", "", wrong);
}

result<reply> component_answer(call const& c, result<pages::component> const& component) {
  if (!component) return component.error();
  return shown_reply(c, *component, component_json);
}

}  // namespace

void component_settings_json(http::json_text& out, pages::component_settings const& set) {
  out.member("name", set.name)
      .member("description", set.description)
      .member("group", set.group)
      .member("position", set.position)
      .open_list("monitorIds");
  for (auto const& id : set.monitors) out.element(id);
  out.close_list().member("aggregation", pages::to_text(set.rule)).member("showUptime", set.show_uptime);
  std::optional<std::string_view> status;
  if (set.override_status) status = pages::to_text(*set.override_status);
  out.member("statusOverride", status).member("overrideUntil", set.override_until);
}

void component_json(http::json_text& out, pages::component const& component) {
  out.member("id", component.id).member("pageId", component.page);
  component_settings_json(out, component.set);
  out.member("status", pages::to_text(component.status))
      .member("missingMonitors", component.missing_monitors)
      .member("createdAt", component.created_at)
      .member("updatedAt", component.updated_at);
}

result<pages::component_settings> read_component(boost::json::object const& body, timestamp now,
                                                 pages::component_settings const* before) {
  std::vector<field_error> wrong;
  pages::component_settings out{.name = std::string(body.at("name").as_string()),
                                .description = text_in(body, "description"),
                                .group = text_in(body, "group"),
                                .position = number_in(body, "position").value_or(0),
                                .monitors = ids_in(body, "monitorIds"),
                                .show_uptime = flag_in(body, "showUptime", true)};
  if (auto const rule = text_in(body, "aggregation")) out.rule = pages::aggregation_of(*rule).value_or(out.rule);
  read_override(body, now, before, out, wrong);
  check_component_names(out, before, wrong);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<pages::component_settings> patch_component(http::body_validator& contract, pages::component const& current,
                                                  boost::json::object const& patch, timestamp now) {
  auto stored = boost::json::parse(http::written(component_settings_json, current.set)).as_object();
  if (patch.contains("statusOverride")) stored.erase("overrideUntil");
  auto const merged = patched(contract, "CreateStatusPageComponentRequest", std::move(stored), patch);
  if (!merged) return merged.error();
  return read_component(*merged, now, &current.set);
}

task<result<reply>> list_components(call& c) {
  auto const found = co_await c.use.stores.components.list(c.caller.project_id, c.path_id(), c.page(), c.until);
  if (!found) co_return found.error();
  co_return page_reply(c, *found, component_json);
}

task<result<reply>> create_component(call& c) {
  auto wanted = read_component(c.body.as_object(), c.use.feed.now());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.stores.components.create(edit_by(c), c.path_id(), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created(c, shown_reply(c, *made, component_json),
                    "/api/status-pages/" + made->page.to_string() + "/components/" + made->id.to_string());
}

task<result<reply>> get_component(call& c) {
  co_return component_answer(
      c, co_await c.use.stores.components.get(c.caller.project_id, c.path_id(), c.path_id(component_path), c.until));
}

task<result<reply>> update_component(call& c) {
  auto edit = [&c](pages::component const& current) {
    return patch_component(c.contract, current, c.body.as_object(), c.use.feed.now());
  };
  co_return component_answer(c, co_await c.use.stores.components.update(
                                    edit_by(c), c.path_id(), c.path_id(component_path), std::move(edit), c.until));
}

task<result<reply>> delete_component(call& c) {
  auto const done =
      co_await c.use.stores.components.remove(edit_by(c), c.path_id(), c.path_id(component_path), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
