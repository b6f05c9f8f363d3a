#pragma once

#include "svc/domain/audit.hpp"
#include "svc/domain/monitoring/alerting/monitor.hpp"

#include <cstddef>
#include <functional>

namespace svc::store {

/// Called after the COMMIT with a reason and the number of alerts that were recorded and not sent because of it.
using suppression_listener = std::function<void(alerting::suppression reason, std::size_t count)>;

/// The listeners for committed decisions on monitors; an empty one is not called. They run on the thread that
/// decided. A value.
struct decision_listeners {
  change_listener changed{};
  suppression_listener suppressed{};
};

}  // namespace svc::store
