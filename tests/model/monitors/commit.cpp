#include "model/monitors/rows.hpp"

#include <algorithm>

namespace svc::model::monitors {

void commit(database& target, database const& draft, u8 location, bool is_edit) {
  auto const before = target.monitor;
  target.monitor = draft.monitor;
  if (is_edit) {
    target.window = draft.window;
    target.parent.there = draft.parent.there;
  } else {
    target.monitor.live = before.live;
    target.monitor.version = before.version;
    target.monitor.muted_until = before.muted_until;
    target.monitor.providers = before.providers;
  }
  if (location < max_locations) target.checks[location] = draft.checks[location];
  for (auto row : draft.outages) {
    if (row.touched == 0) continue;
    row.touched = 0;
    auto position = std::ranges::find(target.outages, row.id, &outage_row::id);
    if (position == target.outages.end()) position = std::ranges::find(target.outages, 0, &outage_row::id);
    if (position != target.outages.end()) *position = row;
  }
  for (std::size_t i = 0; i < draft.alerts.size(); ++i) {
    auto row = draft.alerts[i];
    if (row.touched == 0) continue;
    row.touched = 0;
    // A row that was there is changed; another one is new, even if somebody else has inserted here meanwhile.
    auto const& there = target.alerts[i];
    bool const same = there.used != 0 && there.type == row.type && there.about == row.about &&
                      there.number == row.number && there.target == row.target && (is_edit || there.suppressed != 0);
    auto const free = std::ranges::find(target.alerts, 0, &alert_row::used);
    if (same) {
      target.alerts[i] = row;
    } else if (free != target.alerts.end()) {
      *free = row;
    }
  }
}

}  // namespace svc::model::monitors
