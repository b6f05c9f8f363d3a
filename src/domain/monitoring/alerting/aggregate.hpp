#pragma once

#include "svc/domain/monitoring/alerting/monitor.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace svc::alerting {

/// The votes of a monitor's locations, weighed.
struct aggregated_results {
  std::vector<location_result const*> ups{}, downs{};  ///< with fresh evidence
  std::size_t online = 0, online_conclusive = 0;
  std::size_t degraded = 0;                  ///< of `ups`
  std::optional<timestamp> suspect_since{};  ///< begin of the first failing check of a streak
  bool confirmed = false;                    ///< all that are online answered since then
  std::optional<timestamp> conclusive_at{};  ///< the newest
  std::optional<timestamp> expires{};        ///< when the first of the votes is too old
  location_result const* error = nullptr;    ///< the newest one that said nothing

  std::size_t voting() const { return ups.size() + downs.size(); }
};

aggregated_results aggregate(monitor_state const& monitor, std::span<location_result const> results, timestamp now);

/// Whether `ups` votes for up, of so many, make the monitor up.
bool is_met(monitor_state const& monitor, std::size_t ups, std::size_t voting);

/// The begin of the good check after which the strategy was met.
timestamp good_since(monitor_state const& monitor, aggregated_results const& results, timestamp now);

}  // namespace svc::alerting
