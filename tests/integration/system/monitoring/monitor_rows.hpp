#pragma once

#include "support/fleet.hpp"

#include <string>

namespace svc::test {

/// Monitors of a fleet's project, in a greater number and with shorter intervals than a user may have.
struct monitor_rows {
  int count = 1;
  std::string name = "site";  ///< followed by a number, from 1
  std::string type = "http_request", target{};
  int every = 2;                ///< seconds; intervals that no user may have need `allow_any_interval`
  std::string config = "'{}'";  ///< an SQL expression, in which `i` is the number
  std::string alerts{};         ///< `alertConfig`; empty: none
  int attempts_seconds = 2;
};

inline void allow_any_interval(fleet const& fleet) {
  fleet.sql("ALTER TABLE monitors DROP CONSTRAINT monitors_frequency_seconds_check");
}

/// The rows of each monitor in addition to its own row. Send this with the statement that creates the monitors.
inline constexpr char const* add_states_of_monitors =
    ";INSERT INTO monitor_status (monitor_id) SELECT id FROM monitors ON CONFLICT DO NOTHING;"
    "INSERT INTO check_states (monitor_id, location_id, check_version) SELECT id,"
    " '00000000-0000-0000-0000-000000000000', 1 FROM monitors ON CONFLICT DO NOTHING";

inline void add_monitor_rows(fleet const& fleet, monitor_rows const& rows) {
  auto const quoted = [](std::string const& text) { return "'" + text + "'"; };
  fleet.sql(
      "INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, frequency_seconds, config,"
      " attempts_seconds, created_by" +
      std::string(rows.alerts.empty() ? "" : ", alert_config") + ") SELECT gen_random_uuid(), " +
      quoted(fleet.text("projectId")) + ", '" + rows.name + " ' || i, " + quoted(rows.type) + ", " +
      quoted(rows.target) + ", 1, " + std::to_string(rows.every) + ", " + rows.config + ", " +
      std::to_string(rows.attempts_seconds) + ", " + quoted(fleet.text("userId")) +
      (rows.alerts.empty() ? "" : ", " + quoted(rows.alerts)) + " FROM generate_series(1, " +
      std::to_string(rows.count) + ") i" + add_states_of_monitors);
}

}  // namespace svc::test
