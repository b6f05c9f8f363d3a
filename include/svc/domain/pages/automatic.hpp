#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/pages/snapshot.hpp"
#include "svc/domain/pages/status.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

// Automatic incidents. Everything here is pure.

namespace svc::pages {

/// An open outage of a monitor that is not in maintenance. `since` is its start, or the end of the maintenance in it.
struct open_outage {
  uuid id{};
  timestamp since{};
};

/// Returns the outage that put the component into outage by the rule, or `std::nullopt` if the component is in none.
/// `monitors`: the number of its monitors.
std::optional<open_outage> outage_of_component(std::vector<open_outage> outages, std::size_t monitors,
                                               aggregation rule);

/// Returns the impact of an automatic incident.
impact impact_of_outage(component_status status);

/// A component that automation watches.
struct watched_component {
  component_status measured = component_status::unknown;
  std::optional<open_outage> outage{};  ///< as `outage_of_component` returns it
  bool maintained = false;              ///< maintenance of it is going on, as the page shows it
};

/// Returns true if an incident is due: the component has been in outage for that long.
bool is_incident_due(watched_component const& component, std::chrono::minutes after, timestamp now);

/// The open automatic incident of a component.
struct watched_incident {
  std::optional<timestamp> good_since{};  ///< the component has been operational since then
};
/// The next state of an open automatic incident.
struct incident_progress {
  std::optional<timestamp> good_since{};
  bool resolved = false;
};
/// An incident is resolved when the component has been operational for that long.
incident_progress progress_of(watched_incident const& incident, component_status measured, std::chrono::minutes after,
                              timestamp now);

}  // namespace svc::pages
