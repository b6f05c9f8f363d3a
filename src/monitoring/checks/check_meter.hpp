#pragma once

#include "monitoring/checks/check_state.hpp"
#include "svc/core/metrics.hpp"
#include "svc/monitoring/checks/config.hpp"
#include "svc/monitoring/scheduler/check_holder.hpp"

#include <array>
#include <string>
#include <string_view>

namespace svc::app {

/// The checks of one worker as metrics, and what they say of this place. Worker-local; the metrics and the state are
/// the instance's.
class check_meter {
 public:
  check_meter(metrics& counters, check_state& state, int index);

  /// A check has ended.
  void ended(probes::check_type type, checks::result_of_check const& with);
  /// Once a second.
  void show(watch::check_holder::statistics const& now, std::size_t plan_bytes);
  /// For the holder to observe itself.
  watch::check_holder::times const& times() const { return times_; }

 private:
  void note_place(checks::result_of_check const& of);

  static constexpr std::size_t types = 5, phases = 6;
  check_state& state_;
  std::size_t index_;
  std::array<std::array<counter, checks::status_count>, types> ended_;
  std::array<std::array<histogram, phases>, types> took_;
  std::array<counter, watch::missed_count> missed_;
  watch::check_holder::times times_;
  gauge in_flight_, shards_, plan_bytes_, impaired_;
  counter blocked_;
};

}  // namespace svc::app
