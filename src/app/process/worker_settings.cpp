#include "app/process/worker_settings.hpp"

#include "svc/access/epoch_publisher.hpp"
#include "svc/core/log.hpp"

namespace svc::app {

std::function<void(bool)> announce_store(std::atomic<bool>& up, std::string_view store, int worker,
                                         bool const& stopping) {
  return [&up, store, worker, &stopping](bool now_up) {
    if (up.exchange(now_up) == now_up || stopping) return;
    if (now_up) {
      log::info("a store is connected", {{"store", store}, {"worker", worker}});
    } else {
      log::warn("a store is unreachable", {{"store", store}, {"worker", worker}});
    }
  };
}

redis::settings without_gaps(redis::settings settings) {
  settings.longest_gap = access::longest_belief(settings);
  return settings;
}

api::check_health check_health_of(checks::check_state const& state) {
  constexpr std::int64_t late = 30;
  std::int64_t const lag = state.lag_seconds;
  if (!state.anybody) return {"stopped", lag};
  return {lag >= late ? "late" : "ok", lag};
}

store::queue_gate::bounds queue_bounds(configuration const& config, int instances) {
  return store::queue_gate::make_bounds(static_cast<std::int64_t>(config.quotas.queued_runs), config.worker_count(),
                                        instances);
}

}  // namespace svc::app
