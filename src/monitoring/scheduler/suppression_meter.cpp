#include "svc/monitoring/scheduler/suppression_meter.hpp"

#include <array>
#include <cstddef>

namespace svc::scheduler {
namespace {

// In the order of `alerting::suppression`.
constexpr std::array<char const*, static_cast<std::size_t>(alerting::suppression::other)> suppression_reasons{
    "muted", "provider_disabled", "too_many_changes", "maintenance", "dependency"};

}  // namespace

store::suppression_listener count_suppressed(metrics& all) {
  std::array<counter, suppression_reasons.size()> counters{};
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] =
        all.make_counter("svc_alerts_suppressed_total", "Alerts of monitors that were recorded and not sent",
                         {{"reason", suppression_reasons[i]}});
  }
  return [counters](alerting::suppression reason, std::size_t count) {
    counters.at(static_cast<std::size_t>(reason)).add(static_cast<double>(count));
  };
}

}  // namespace svc::scheduler
