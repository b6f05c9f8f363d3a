#include "domain/pages/frame.hpp"
#include "svc/core/harmless_text.hpp"

#include <boost/json.hpp>

namespace svc::pages {
namespace {

using object = boost::json::object;
using array = boost::json::array;
using value = boost::json::value;

value time_or_null(std::optional<timestamp> const& time) {
  return time ? value(to_rfc3339(*time)) : value(nullptr);
}

value text_or_null(std::string_view text) {
  return text.empty() ? value(nullptr) : value(one_line(text));
}

object component_summary(page_component const& component, component_status status) {
  auto const uptime = component.show_uptime ? uptime_of(component) : std::nullopt;
  return {{"id", component.id.to_string()},
          {"name", one_line(component.name)},
          {"description", text_or_null(component.description)},
          {"group", text_or_null(component.group)},
          {"status", to_text(status)},
          {"uptime", uptime ? value(*uptime) : value(nullptr)},
          {"evidenceAt", time_or_null(component.measured.evidence_at)},
          {"validUntil", to_rfc3339(component.measured.valid_until)}};
}

array posts_summary(std::vector<post> const& posts) {
  array out;
  for (auto const& each : posts)
    out.push_back(object{{"id", each.id.to_string()},
                         {"status", to_text(each.status)},
                         {"body", plain_body(each.body)},
                         {"displayAt", to_rfc3339(each.published_at)},
                         {"editedAt", time_or_null(each.edited_at)}});
  return out;
}

object incident_summary(page_view const& view, page_incident const& incident) {
  array components;
  for (auto const& affected : incident.components)
    components.push_back(object{{"id", affected.id.to_string()}, {"status", to_text(affected.status)}});
  return {{"id", incident.id.to_string()},
          {"name", one_line(incident.name)},
          {"impact", to_text(incident.effect)},
          {"status", to_text(incident.status)},
          {"startedAt", to_rfc3339(incident.started_at)},
          {"url", view.address.incident(incident.id)},
          {"components", std::move(components)},
          {"updates", posts_summary(incident.posts)}};
}

object maintenance_summary(page_view const& view, page_maintenance const& maintenance) {
  array components;
  for (auto const& id : maintenance.components) components.push_back(value(id.to_string()));
  return {{"id", maintenance.id.to_string()},
          {"name", one_line(maintenance.name)},
          {"state", is_active(maintenance, view.now) ? "active" : "scheduled"},
          {"startsAt", to_rfc3339(maintenance.starts_at)},
          {"endsAt", to_rfc3339(maintenance.ends_at)},
          {"url", view.address.maintenance(maintenance.id)},
          {"componentIds", std::move(components)},
          {"updates", posts_summary(maintenance.posts)}};
}

object page_summary(page_view const& view, status_table const& statuses) {
  auto const& facts = view.snapshot.page;
  return {{"id", facts.id.to_string()},          {"slug", one_line(facts.slug)},
          {"name", one_line(facts.name)},        {"headline", text_or_null(facts.headline)},
          {"language", to_text(facts.language)}, {"timeZone", one_line(facts.time_zone)},
          {"url", view.address.page()},          {"revision", revision_of(view.snapshot, statuses, view.now)}};
}

}  // namespace

std::string summary_json(page_view const& view) {
  auto const& snapshot = view.snapshot;
  status_table const statuses(snapshot, view.now);
  array components, incidents, maintenance;
  for (auto const& each : snapshot.components)
    components.push_back(component_summary(each, statuses.status(each.id)));
  for (auto const& each : snapshot.incidents)
    if (is_open(each)) incidents.push_back(incident_summary(view, each));
  for (auto const& each : snapshot.maintenance)
    if (is_coming(each, view.now) || is_active(each, view.now))
      maintenance.push_back(maintenance_summary(view, each));
  return boost::json::serialize(object{{"page", page_summary(view, statuses)},
                                       {"status", to_text(statuses.worst())},
                                       {"components", std::move(components)},
                                       {"openIncidents", std::move(incidents)},
                                       {"maintenance", std::move(maintenance)},
                                       {"asOf", to_rfc3339(snapshot.as_of)},
                                       {"evidenceAt", time_or_null(snapshot.evidence_at)},
                                       {"validUntil", time_or_null(valid_until(snapshot))}});
}

}  // namespace svc::pages
