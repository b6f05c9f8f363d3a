#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/api/services.hpp"
#include "svc/monitoring/checks/check_state.hpp"
#include "svc/redis/client.hpp"
#include "svc/store/runs/queue_gate.hpp"

#include <atomic>
#include <functional>
#include <string_view>

namespace svc::app {

/// Returns a listener of a store's connection, which logs each change. Silent while the worker stops, because the
/// worker closes the connections itself.
std::function<void(bool)> announce_store(std::atomic<bool>& up, std::string_view store, int worker,
                                         bool const& stopping);

/// Returns the settings of the connection for decisions. A Redis server that was frozen while others got a change
/// must not make them.
redis::settings without_gaps(redis::settings settings);

/// Returns what health pages say about checks: a slot that is overdue for 30 s is late.
api::check_health check_health_of(checks::check_state const& state);

/// Returns the share of a worker in the quota of queued runs.
store::queue_gate::bounds queue_bounds(configuration const& config, int instances);

}  // namespace svc::app
