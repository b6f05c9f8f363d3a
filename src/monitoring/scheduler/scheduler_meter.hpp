#pragma once

#include "monitoring/scheduler/check_scheduler.hpp"
#include "svc/core/metrics.hpp"
#include "svc/monitoring/checks/check_state.hpp"

#include <array>
#include <cstddef>

namespace svc::scheduler {

/// Shows the state of one check worker's scheduler in metrics. Worker-local; the metrics and the state belong to the
/// instance.
class scheduler_meter {
 public:
  scheduler_meter(metrics& counters, checks::check_state& state, int index);

  /// Call once a second.
  void show(check_scheduler::statistics const& now, std::size_t plan_bytes);
  /// Returns the histograms that the scheduler fills itself.
  check_scheduler::times const& times() const { return times_; }

 private:
  checks::check_state& state_;
  std::size_t index_;
  std::array<counter, missed_count> missed_;
  check_scheduler::times times_;
  gauge in_flight_, shards_, plan_bytes_;
};

}  // namespace svc::scheduler
