#include "monitoring/scheduler/result_buffer.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace svc::scheduler {

checks::kept_result kept_of(check_report const& found, std::int64_t began, checks::kind asked_by) {
  auto const& known = found.result.known;
  checks::kept_result out{.slot = began,
                          .started_ms = began,
                          .ended = found.result.ended,
                          .degraded = found.result.degraded,
                          .asked_by = asked_by,
                          .attempts = found.attempts,
                          .response_time_ms = found.result.response_time_ms,
                          .phases = known.phases.value_or(checks::timings{})};
  if (known.error) out.code = known.error->which;
  if (known.status_code) out.status_code = static_cast<std::uint16_t>(*known.status_code);
  return out;
}

namespace {

/// Returns the time that a conclusive result covers. The first check of a monitor is due at once, so the next slot is
/// due before its interval has passed. Whole seconds only, because two results must not cover the same time.
std::chrono::seconds covered_time_of(std::chrono::seconds interval, due_check const& due, std::int64_t began) {
  bool const lies_at_phase = (due.next - due.slot) % milliseconds(interval).count() == 0;
  if (lies_at_phase) return interval;
  auto const left = std::max(milliseconds(0), milliseconds(due.next - began));
  return std::min(interval, std::chrono::floor<std::chrono::seconds>(left));
}

}  // namespace

store::arrived_result pending_result(check_order const& order, due_check const& due,
                                     std::optional<store::check_request> const& request, std::int64_t began,
                                     check_report found) {
  store::arrived_result out{.monitor = order.monitor, .check_version = order.check_version};
  // An inconclusive result covers no time, nor does a requested check.
  if (!request && checks::conclusion_of(found.result.ended) != checks::conclusion::none)
    out.covers = covered_time_of(order.interval, due, began);
  if (found.result.ended != checks::status::up || found.result.degraded) out.details = details_json(found.result);
  out.kept = kept_of(found, began, request ? request->asked_by : checks::kind::scheduled);
  out.kept.slot = due.slot;
  out.failure = std::move(found.result.known.error);
  if (found.warning) out.warning_id = checks::id_of(order.monitor, *found.warning);
  out.warning = std::move(found.warning);
  if (request) out.request = request->id;
  return out;
}

void result_buffer::give_up_old(steady::time_point now) {
  while (!waiting_.empty() && (waiting_.size() > most_waiting || now - waiting_.front().since > patience)) {
    waiting_.pop_front();
    ++given_up_;
  }
}

void result_buffer::put(store::arrived_result result, steady::time_point now) {
  waiting_.push_back({std::move(result), now});
  give_up_old(now);
}

std::vector<store::arrived_result> result_buffer::take(std::size_t most, steady::time_point now) {
  give_up_old(now);
  std::vector<store::arrived_result> out;
  taken_.clear();
  std::deque<waiting> rest;
  while (!waiting_.empty() && out.size() < most) {
    auto& first = waiting_.front();
    if (taken_.emplace(first.result.monitor, first.since).second) {
      out.push_back(std::move(first.result));
    } else {
      rest.push_back(std::move(first));
    }
    waiting_.pop_front();
  }
  for (auto& each : std::ranges::reverse_view(rest)) waiting_.push_front(std::move(each));
  return out;
}

void result_buffer::put_back(std::vector<store::arrived_result> all) {
  for (auto& each : std::ranges::reverse_view(all)) {
    auto const since = taken_.at(each.monitor);
    waiting_.push_front({std::move(each), since});
  }
}

std::optional<steady::time_point> result_buffer::oldest() const {
  return waiting_.empty() ? std::nullopt : std::optional(waiting_.front().since);
}

}  // namespace svc::scheduler
