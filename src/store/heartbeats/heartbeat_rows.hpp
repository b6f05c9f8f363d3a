#pragma once

#include "store/monitors/deciding.hpp"
#include "svc/domain/monitoring/heartbeats/heartbeat.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <cstdint>
#include <optional>
#include <vector>

// Conversions between rows and the state of heartbeats.

namespace svc::store {

/// A row of `heartbeats`, of a monitor that is locked.
struct heartbeat_row {
  uuid monitor{};
  std::optional<heartbeats::heartbeat_config> config{};  ///< nothing if this version cannot read it
  std::int64_t planned_for = 0;
  heartbeats::heartbeat_state state{};
  std::int64_t pings = 0;
  std::optional<timestamp> deadline{};

  /// True if signals and missing signals count now.
  bool is_evaluated(locked_monitor const& monitor) const { return monitor.state.live && config.has_value(); }
  /// Plans again after an edit, a pause or a restore: earlier deadlines no longer hold.
  void follow(locked_monitor const& monitor, timestamp now);
};

/// Locks nothing, because the caller that changes the row has locked the monitor.
postgres::query read_heartbeats_query(std::vector<uuid> const& monitors);
std::vector<heartbeat_row> read_heartbeat_rows(postgres::rows const& found);

postgres::query write_heartbeats_query(std::vector<heartbeat_row> const& all);

/// Returns the finding as a result of the monitor's only location. `row` is the row of this location.
arrived_result result_of(heartbeats::heartbeat_finding const& conclusion, locked_monitor const& monitor,
                         location_row const& row, timestamp now);

}  // namespace svc::store
