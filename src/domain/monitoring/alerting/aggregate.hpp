#pragma once

#include "svc/domain/monitoring/alerting/monitor.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace svc::alerting {

/// The votes of a monitor's locations, aggregated.
struct aggregated_results {
  std::vector<location_result const*> ups{}, downs{};  ///< fresh votes
  std::size_t online = 0, online_conclusive = 0;
  std::size_t degraded = 0;                  ///< of `ups`
  std::optional<timestamp> suspect_since{};  ///< start of the first failing check of all streaks
  bool confirmed = false;                    ///< all online locations have answered since then
  std::optional<timestamp> conclusive_at{};  ///< of the newest conclusive result
  std::optional<timestamp> expires{};        ///< the time at which the first vote becomes too old
  location_result const* error = nullptr;    ///< the newest inconclusive result

  std::size_t voting() const { return ups.size() + downs.size(); }
};

aggregated_results aggregate(monitor_state const& monitor, std::span<location_result const> results, timestamp now);

/// Returns true if `ups` of `voting` votes make the monitor up.
bool is_met(monitor_state const& monitor, std::size_t ups, std::size_t voting);

/// Returns the start of the good check that met the strategy's condition.
timestamp good_since(monitor_state const& monitor, aggregated_results const& results, timestamp now);

}  // namespace svc::alerting
