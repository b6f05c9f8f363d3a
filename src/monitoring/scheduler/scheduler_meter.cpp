#include "monitoring/scheduler/scheduler_meter.hpp"

#include <string>

namespace svc::scheduler {
namespace {

constexpr std::array<char const*, missed_count> missed_names{"still_running", "overloaded", "nobody_watched",
                                                             "values_unread", "target_busy"};

}  // namespace

scheduler_meter::scheduler_meter(metrics& counters, checks::check_state& state, int index)
    : state_(state), index_(static_cast<std::size_t>(index)) {
  labels const worker{{"worker", std::to_string(index)}};
  for (std::size_t m = 0; m < missed_count; ++m) {
    missed_[m] = counters.make_counter("svc_checks_missed_total", "Due times of monitors that were skipped",
                                       {{"worker", std::to_string(index)}, {"reason", missed_names[m]}});
  }
  times_.lag = counters.make_histogram("svc_check_lag_seconds", "Time from when a check was due to its start");
  times_.flush = counters.make_histogram("svc_check_flush_seconds", "Time to store results in PostgreSQL");
  in_flight_ = counters.make_gauge("svc_checks_in_flight", "Checks in progress", worker);
  shards_ = counters.make_gauge("svc_check_shards",
                                "Number of the 64 parts of all monitors that this instance checks", worker);
  plan_bytes_ =
      counters.make_gauge("svc_check_plan_bytes",
                          "Limit of the memory of compiled configurations of monitors and of their searches", worker);
}

void scheduler_meter::show(check_scheduler::statistics const& now, std::size_t plan_bytes) {
  in_flight_.set(static_cast<double>(now.running));
  plan_bytes_.set(static_cast<double>(plan_bytes));
  shards_.set(static_cast<double>(now.shards));
  for (std::size_t m = 0; m < missed_count; ++m) missed_[m].raise_to(static_cast<double>(now.missed[m]));
  state_.overdue_ms[index_] = now.overdue.count();
}

}  // namespace svc::scheduler
