#include "svc/domain/monitoring/alerting/run_alerts.hpp"

#include <algorithm>
#include <utility>

namespace svc::alerting {
namespace {

void tell(run_alert_type what, provider const& whom, std::vector<run_alert>& to) {
  to.push_back({what, whom.id, whom.disabled ? std::optional(suppression::provider_disabled) : std::nullopt});
}

void tell_all(run_alert_type what, job_alert_settings const& by, std::vector<run_alert>& to) {
  for (auto const& each : by.providers) tell(what, each, to);
}

/// What is only recorded nobody knows of.
void remember_told(job_alert_settings const& by, std::vector<provider>& told) {
  for (auto const& each : by.providers) {
    if (!each.disabled && std::ranges::find(told, each.id, &provider::id) == told.end()) told.push_back(each);
  }
}

counted_run count_pass(job_alert_settings const& by, run_streak const& before) {
  counted_run out{.after = {.passes = before.passes + 1}};
  for (auto const& each : before.told) {
    if (by.on_recovery || each.resolves) tell(run_alert_type::job_recovered, each, out.alerts);
  }
  if (by.on_success && out.after.passes >= by.recovery_threshold)
    tell_all(run_alert_type::job_success, by, out.alerts);
  return out;
}

}  // namespace

counted_run count_run(job_alert_settings const& by, run_streak before, run_end ended) {
  if (ended == run_end::passed) return count_pass(by, before);
  counted_run out{.after = std::move(before)};
  out.after.passes = 0;
  ++out.after.failures;
  if (ended == run_end::timed_out) {
    if (by.on_timeout) tell_all(run_alert_type::job_timeout, by, out.alerts);
  } else if (by.on_failure && out.after.failures >= by.failure_threshold) {
    tell_all(run_alert_type::job_failed, by, out.alerts);
  }
  if (!out.alerts.empty()) remember_told(by, out.after.told);
  return out;
}

}  // namespace svc::alerting
