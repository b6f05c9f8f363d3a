#include "svc/domain/pages/automatic.hpp"

#include <algorithm>

namespace svc::pages {

std::optional<open_outage> outage_of_component(std::vector<open_outage> outages, std::size_t monitors,
                                               aggregation rule) {
  std::size_t const needed = rule == aggregation::majority_vote ? monitors / 2 + 1 : 1;
  if (monitors == 0 || outages.size() < needed) return std::nullopt;
  std::ranges::sort(outages, [](open_outage const& a, open_outage const& b) {
    return a.since != b.since ? a.since < b.since : a.id < b.id;
  });
  return outages[needed - 1];
}

impact impact_of_outage(component_status status) {
  return status == component_status::major_outage ? impact::major : impact::minor;
}

bool is_incident_due(watched_component const& component, std::chrono::minutes after, timestamp now) {
  return component.outage && !component.maintained && component.measured >= component_status::partial_outage &&
         component.outage->since + after <= now;
}

incident_progress progress_of(watched_incident const& incident, component_status measured, std::chrono::minutes after,
                              timestamp now) {
  if (measured != component_status::operational) return {};
  auto const since = incident.good_since.value_or(now);
  return {.good_since = since, .resolved = since + after <= now};
}

}  // namespace svc::pages
