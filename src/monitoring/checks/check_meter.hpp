#pragma once

#include "monitoring/checks/check_types.hpp"
#include "svc/core/metrics.hpp"
#include "svc/monitoring/checks/check_state.hpp"

#include <array>
#include <cstddef>

namespace svc::checks {

/// Counts the results of one worker's checks in metrics, and records their evidence about this location.
/// Worker-local; the metrics and the state belong to the instance.
class check_meter {
 public:
  check_meter(metrics& counters, check_state& state);

  /// Records a check that has ended.
  void ended(check_type const& type, result_of_check const& result);

 private:
  void note_location(result_of_check const& result);

  static constexpr std::size_t types = check_types.size(), phases = 6;
  check_state& state_;
  std::array<std::array<counter, status_count>, types> ended_;
  std::array<std::array<svc::histogram, phases>, types> took_;
  gauge impaired_;
  counter blocked_;
};

}  // namespace svc::checks
