#include "svc/domain/pages/status.hpp"

#include "domain/pages/names.hpp"

#include <algorithm>
#include <vector>

namespace svc::pages {
namespace {

constexpr std::array<std::string_view, component_status_count> status_names{
    "operational", "unknown", "under_maintenance", "degraded_performance", "partial_outage", "major_outage"};
constexpr std::array<std::string_view, 2> aggregation_names{"worst_case", "majority_vote"};

/// Numbers of monitors of a component by their verdict.
struct verdict_counts {
  std::size_t all = 0, up = 0, degraded = 0, down = 0, none = 0;
};

bool counts_at(monitor_evidence const& monitor, timestamp now) {
  return monitor.verdict != monitor_verdict::none && monitor.newest_result && monitor.expires_at &&
         now < *monitor.expires_at;
}

verdict_counts count_verdicts(std::span<monitor_evidence const> monitors, timestamp now) {
  verdict_counts out{.all = monitors.size()};
  for (auto const& monitor : monitors) {
    if (!counts_at(monitor, now))
      ++out.none;
    else if (monitor.verdict == monitor_verdict::down)
      ++out.down;
    else if (monitor.verdict == monitor_verdict::degraded)
      ++out.degraded;
    else
      ++out.up;
  }
  return out;
}

component_status worst_case_of(verdict_counts const& counts) {
  if (counts.down == counts.all) return component_status::major_outage;
  if (counts.down > 0) return component_status::partial_outage;
  if (counts.degraded > 0) return component_status::degraded_performance;
  return counts.none > 0 ? component_status::unknown : component_status::operational;
}

component_status majority_of(verdict_counts const& counts) {
  if (2 * counts.down > counts.all) return component_status::major_outage;
  if (counts.down + counts.degraded > 0) return component_status::degraded_performance;
  return 2 * counts.none > counts.all ? component_status::unknown : component_status::operational;
}

component_status aggregate_at(std::span<monitor_evidence const> monitors, aggregation rule, timestamp now) {
  auto const counts = count_verdicts(monitors, now);
  if (counts.all == 0) return component_status::operational;
  return rule == aggregation::worst_case ? worst_case_of(counts) : majority_of(counts);
}

/// Returns the first moment after `now` at which an expiry changes the status.
std::optional<timestamp> first_change(std::span<monitor_evidence const> monitors, aggregation rule, timestamp now,
                                      component_status current) {
  std::vector<timestamp> expiries;
  for (auto const& monitor : monitors)
    if (counts_at(monitor, now)) expiries.push_back(*monitor.expires_at);
  std::ranges::sort(expiries);
  for (auto const moment : expiries)
    if (aggregate_at(monitors, rule, moment) != current) return moment;
  return std::nullopt;
}

}  // namespace

std::string_view to_text(component_status status) {
  return name_of(status_names, status);
}

std::optional<component_status> component_status_of(std::string_view text) {
  return named<component_status>(status_names, text);
}

std::string_view to_text(aggregation rule) {
  return name_of(aggregation_names, rule);
}

std::optional<aggregation> aggregation_of(std::string_view text) {
  return named<aggregation>(aggregation_names, text);
}

monitor_evidence checked_evidence(monitor_verdict verdict, std::optional<timestamp> newest_result,
                                  std::chrono::seconds interval) {
  monitor_evidence out{.verdict = verdict, .newest_result = newest_result};
  if (newest_result) out.expires_at = *newest_result + intervals_of_evidence * interval;
  return out;
}

monitor_evidence heartbeat_evidence(monitor_verdict verdict, std::optional<timestamp> newest_signal,
                                    std::optional<timestamp> deadline) {
  monitor_evidence out{.verdict = verdict, .newest_result = newest_signal};
  if (deadline) out.expires_at = *deadline + judgement_time;
  return out;
}

measurement measure(std::span<monitor_evidence const> monitors, aggregation rule, timestamp now) {
  measurement out{.status = aggregate_at(monitors, rule, now)};
  for (auto const& monitor : monitors) {
    if (!monitor.newest_result) continue;
    if (!out.last_result_at || *out.last_result_at < *monitor.newest_result)
      out.last_result_at = monitor.newest_result;
    if (!counts_at(monitor, now)) continue;
    if (!out.evidence_at || *monitor.newest_result < *out.evidence_at) out.evidence_at = monitor.newest_result;
  }
  out.valid_until = first_change(monitors, rule, now, out.status).value_or(now + copy_lifetime);
  return out;
}

}  // namespace svc::pages
