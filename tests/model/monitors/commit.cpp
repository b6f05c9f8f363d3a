#include "model/monitors/rows.hpp"

#include <algorithm>

namespace svc::model::monitors {

void commit(database& to, database const& draft, u8 location, bool is_edit) {
  auto const before = to.monitor;
  to.monitor = draft.monitor;
  if (!is_edit) {
    to.monitor.live = before.live;
    to.monitor.version = before.version;
    to.monitor.muted_until = before.muted_until;
    to.monitor.providers = before.providers;
  }
  if (location < max_locations) to.checks[location] = draft.checks[location];
  for (auto row : draft.outages) {
    if (row.touched == 0) continue;
    row.touched = 0;
    auto place = std::ranges::find(to.outages, row.id, &outage_row::id);
    if (place == to.outages.end()) place = std::ranges::find(to.outages, 0, &outage_row::id);
    if (place != to.outages.end()) *place = row;
  }
  for (std::size_t i = 0; i < draft.alerts.size(); ++i) {
    auto row = draft.alerts[i];
    if (row.touched == 0) continue;
    row.touched = 0;
    // A row that was there is changed; another one is new, even if somebody else has inserted here meanwhile.
    auto const& there = to.alerts[i];
    bool const same = there.used != 0 && there.type == row.type && there.about == row.about &&
                      there.number == row.number && there.to == row.to && there.suppressed != 0;
    auto const free = std::ranges::find(to.alerts, 0, &alert_row::used);
    if (same) {
      to.alerts[i] = row;
    } else if (free != to.alerts.end()) {
      *free = row;
    }
  }
}

}  // namespace svc::model::monitors
