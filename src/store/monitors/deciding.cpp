#include "store/monitors/deciding.hpp"

#include "store/monitors/hold_rows.hpp"

#include <algorithm>
#include <array>

namespace svc::store {

namespace {

constexpr postgres::statement answer_request{"request_answer", R"(
UPDATE check_requests SET closed_at = clock_timestamp(), result = $2, details = nullif($3, '') WHERE id = $1)"};

}  // namespace

bool counts(locked_monitor const& monitor, location_row const& row, arrived_result const& result,
            std::vector<uuid> const& open_requests) {
  if (!monitor.state.live || result.check_version != monitor.state.check_version) return false;
  if (!result.request) return result.kept.slot > row.last_slot;
  return std::ranges::find(open_requests, *result.request) != open_requests.end();
}

alerting::decision decide_now(locked_monitor const& monitor, timestamp now) {
  std::vector<alerting::location_result> results;
  for (auto const& each : monitor.locations) {
    results.push_back(
        {.code = std::string(own_location_code), .check_version = each.check_version, .state = each.state});
  }
  return alerting::decide(monitor.state, results, now, uuid::generate_v7());
}

decision_step count_and_decide(locked_monitor& monitor, location_row& row, arrived_result result, timestamp now) {
  if (row.check_version != monitor.state.check_version) row.state = {}, row.covered = {};
  auto voted = result_of_location(monitor.memory_of(row), std::move(result));
  row.state = voted.after;
  row.covered = voted.covered;
  decision_step out{.monitor = &monitor, .made = decide_now(monitor, now)};
  if (auto const& warning = voted.result.warning)
    alerting::warn_of_certificate(monitor.state, voted.result.warning_id, *warning, now, out.made);
  voted.result.kept.status_change = out.made.changed;
  out.counted = std::move(voted);
  row.last_slot = out.counted->result.kept.slot;
  row.revision += 1;
  return out;
}

namespace {

void notify_suppressed(suppression_listener const& listener, std::vector<decision_step> const& steps) {
  if (!listener) return;
  std::array<std::size_t, static_cast<std::size_t>(alerting::suppression::other)> counts{};
  for (auto const& step : steps) {
    for (auto const& each : step.made.alerts) {
      if (each.suppressed) ++counts.at(static_cast<std::size_t>(*each.suppressed));
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) listener(static_cast<alerting::suppression>(i), counts[i]);
  }
}

/// Returns the monitors to check at once, each once.
std::vector<uuid> requested_checks(std::vector<decision_step> const& steps) {
  std::vector<uuid> out;
  for (auto const& step : steps) {
    if (step.made.requests_check) out.push_back(step.monitor->id);
    out.insert(out.end(), step.made.requests_parents.begin(), step.made.requests_parents.end());
  }
  std::ranges::sort(out);
  auto const repeated = std::ranges::unique(out);
  out.erase(repeated.begin(), repeated.end());
  return out;
}

/// Returns the monitors to check again although this transaction answers their open requests: these checks started
/// too early.
std::vector<uuid> requested_again(std::vector<decision_step> const& steps) {
  std::vector<uuid> out;
  for (auto const& step : steps) {
    if (step.made.requests_check && step.counted && step.counted->result.request) out.push_back(step.monitor->id);
  }
  return out;
}

}  // namespace

void notify_decided(decision_listeners const& listeners, std::vector<decision_step> const& steps) {
  notify_suppressed(listeners.suppressed, steps);
  auto const& listener = listeners.changed;
  if (!listener) return;
  std::vector<changed_thing> changes;
  for (auto const& step : steps) {
    auto const& made = step.made;
    auto const project = step.monitor->project;
    bool const alerts = !made.alerts.empty() || !made.release.empty();
    if (made.changed || made.opened || made.closed || made.period_begun || made.period_ended)
      changes.push_back({project, "monitor", step.monitor->id});
    if (made.opened) changes.push_back({project, "outage", made.opened->id});
    auto const& before = step.monitor->state.outage;
    if (before && !made.closed && made.caused_by != before->caused_by)
      changes.push_back({project, "outage", before->id});
    if (made.closed) changes.push_back({project, "outage", made.closed->id});
    // The database gives the alerts their ids.
    if (alerts) changes.push_back({project, "alert", std::nullopt});
  }
  if (!changes.empty()) listener(std::move(changes));
}

std::vector<postgres::query> writes_of(std::vector<decision_step> const& steps, uuid location, timestamp now) {
  std::vector<counted_result> counted;
  for (auto const& each : steps) {
    if (each.counted) counted.push_back(*each.counted);
  }
  std::vector<postgres::query> out;
  if (!counted.empty()) out.push_back(count_query(location, counted, false));
  if (auto const wanted = requested_checks(steps); !wanted.empty())
    out.push_back(request_checks_query(wanted, location));
  for (auto const& each : counted) {
    if (!each.result.request) continue;
    out.push_back({answer_request, postgres::parameters(*each.result.request, checks::packed({each.result.kept}),
                                                        std::string_view(each.result.details))});
  }
  // Never waits: whoever else requests such a check waits for the answers above.
  if (auto const again = requested_again(steps); !again.empty()) out.push_back(request_checks_query(again, location));
  std::vector<decision_row> all;
  all.reserve(steps.size());
  for (auto const& each : steps) {
    bool const answers = each.counted && each.counted->result.request;
    all.push_back({.monitor = *each.monitor,
                   .made = each.made,
                   .counted = each.counted ? std::optional(location) : std::nullopt,
                   .answers_request = answers});
  }
  write_decisions(all, now, out);
  return out;
}

}  // namespace svc::store
