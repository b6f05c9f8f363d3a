#pragma once

#include "svc/core/metrics.hpp"
#include "svc/store/monitors/decision_listeners.hpp"

namespace svc::scheduler {

/// Returns a listener that counts suppressed alerts of monitors in `svc_alerts_suppressed_total`, by reason. The
/// metrics outlive it. All listeners of an instance share its counters, and may run on any thread.
store::suppression_listener count_suppressed(metrics& all);

}  // namespace svc::scheduler
