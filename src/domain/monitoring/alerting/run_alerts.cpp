#include "svc/domain/monitoring/alerting/run_alerts.hpp"

#include <algorithm>
#include <utility>

namespace svc::alerting {
namespace {

void notify(run_alert_type type, provider const& provider, std::vector<run_alert>& alerts) {
  alerts.push_back(
      {type, provider.id, provider.disabled ? std::optional(suppression::provider_disabled) : std::nullopt});
}

void notify_all(run_alert_type type, job_alert_settings const& settings, std::vector<run_alert>& alerts) {
  for (auto const& each : settings.providers) notify(type, each, alerts);
}

/// Adds the providers that are notified now. Suppressed alerts are recorded but not sent, so disabled providers do
/// not count as notified.
void remember_notified(job_alert_settings const& settings, std::vector<provider>& notified) {
  for (auto const& each : settings.providers) {
    if (!each.disabled && std::ranges::find(notified, each.id, &provider::id) == notified.end())
      notified.push_back(each);
  }
}

counted_run count_pass(job_alert_settings const& settings, run_streak const& before) {
  counted_run out{.after = {.passes = before.passes + 1}};
  for (auto const& each : before.notified) {
    if (settings.on_recovery || each.resolves) notify(run_alert_type::job_recovered, each, out.alerts);
  }
  if (settings.on_success && out.after.passes >= settings.recovery_threshold)
    notify_all(run_alert_type::job_success, settings, out.alerts);
  return out;
}

}  // namespace

counted_run count_run(job_alert_settings const& settings, run_streak before, run_end ended) {
  if (ended == run_end::passed) return count_pass(settings, before);
  counted_run out{.after = std::move(before)};
  out.after.passes = 0;
  ++out.after.failures;
  if (ended == run_end::timed_out) {
    if (settings.on_timeout) notify_all(run_alert_type::job_timeout, settings, out.alerts);
  } else if (settings.on_failure && out.after.failures >= settings.failure_threshold) {
    notify_all(run_alert_type::job_failed, settings, out.alerts);
  }
  if (!out.alerts.empty()) remember_notified(settings, out.after.notified);
  return out;
}

}  // namespace svc::alerting
