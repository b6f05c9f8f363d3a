#include "svc/monitoring/scheduler/suppression_meter.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace svc::scheduler {

store::suppression_listener count_suppressed(metrics& all) {
  std::array<counter, alerting::suppression_names.size()> counters{};
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] =
        all.make_counter("svc_alerts_suppressed_total", "Alerts of monitors that were recorded and not sent",
                         {{"reason", std::string(alerting::suppression_names[i])}});
  }
  return [counters](alerting::suppression reason, std::size_t count) {
    counters.at(static_cast<std::size_t>(reason)).add(static_cast<double>(count));
  };
}

}  // namespace svc::scheduler
