#include "domain/pages/frame.hpp"

#include <algorithm>
#include <array>

namespace svc::pages {

status_look look_of(component_status status) {
  constexpr std::array<status_look, component_status_count> looks{{{"s-operational", "s-passed"},
                                                                   {"s-unknown", "s-unknown"},
                                                                   {"s-maintenance", "s-maintenance"},
                                                                   {"s-degraded", "s-degraded"},
                                                                   {"s-partial", "s-partial"},
                                                                   {"s-major", "s-failed"}}};
  return looks.at(static_cast<std::size_t>(status));
}

status_look look_of(impact effect) {
  switch (effect) {
    case impact::none:
      return {"s-info", "s-info"};
    case impact::minor:
      return {"s-degraded", "s-degraded"};
    case impact::major:
    case impact::critical:
      break;
  }
  return {"s-down", "s-failed"};
}

status_look look_of(post_status status) {
  switch (status) {
    case post_status::investigating:
    case post_status::scheduled:
      return {"s-pending", "s-queued"};
    case post_status::resolved:
    case post_status::ended_early:
      return {"s-ok", "s-passed"};
    case post_status::cancelled:
      return {"s-unknown", "s-unknown"};
    case post_status::identified:
    case post_status::monitoring:
    case post_status::postmortem:
    case post_status::note:
      break;
  }
  return {"s-info", "s-info"};
}

std::string_view word_of(page_texts const& texts, component_status status) {
  switch (status) {
    case component_status::operational:
      return texts.operational;
    case component_status::unknown:
      return texts.unknown;
    case component_status::under_maintenance:
      return texts.under_maintenance;
    case component_status::degraded_performance:
      return texts.degraded_performance;
    case component_status::partial_outage:
      return texts.partial_outage;
    case component_status::major_outage:
      break;
  }
  return texts.major_outage;
}

std::string_view word_of(page_texts const& texts, impact effect) {
  switch (effect) {
    case impact::none:
      return texts.impact_none;
    case impact::minor:
      return texts.impact_minor;
    case impact::major:
      return texts.impact_major;
    case impact::critical:
      break;
  }
  return texts.impact_critical;
}

std::string_view word_of(page_texts const& texts, post_status status) {
  switch (status) {
    case post_status::investigating:
      return texts.investigating;
    case post_status::identified:
      return texts.identified;
    case post_status::monitoring:
      return texts.monitoring;
    case post_status::resolved:
      return texts.resolved;
    case post_status::postmortem:
      return texts.postmortem;
    case post_status::scheduled:
      return texts.scheduled;
    case post_status::note:
      return texts.note;
    case post_status::cancelled:
      return texts.cancelled;
    case post_status::ended_early:
      break;
  }
  return texts.ended_early;
}

maintenance_state state_of(page_texts const& texts, page_maintenance const& maintenance, timestamp now) {
  if (maintenance.cancelled) return {texts.cancelled, {"s-unknown", "s-unknown"}};
  if (is_coming(maintenance, now)) return {texts.scheduled, {"s-queued", "s-queued"}};
  if (is_active(maintenance, now)) return {texts.under_way, {"s-maintenance", "s-maintenance"}};
  return {texts.completed, {"s-ok", "s-passed"}};
}

std::vector<uuid> ids_of(page_incident const& incident) {
  std::vector<uuid> out;
  out.reserve(incident.components.size());
  std::ranges::transform(incident.components, std::back_inserter(out), &affected_component::id);
  return out;
}

std::string names_of(page_context const& page, std::vector<uuid> const& ids) {
  std::string out;
  for (auto const& id : ids) {
    auto const* const component = find_component(page.view.snapshot, id);
    if (component == nullptr) continue;
    if (!out.empty()) out += page.texts.list_mark.text();
    out += component->name;
  }
  return out;
}

bool has_script(visibility visible) {
  return visible == visibility::listed || visible == visibility::unlisted;
}

bool can_send_requests(visibility visible) {
  return visible != visibility::members;
}

}  // namespace svc::pages
