#include "monitoring/scheduler/result_buffer.hpp"

#include <ranges>
#include <utility>

namespace svc::scheduler {

void result_buffer::give_up_old(steady::time_point now) {
  while (!waiting_.empty() && (waiting_.size() > most_waiting || now - waiting_.front().since > patience)) {
    waiting_.pop_front();
    ++given_up_;
  }
}

void result_buffer::put(store::arrived_result one, steady::time_point now) {
  waiting_.push_back({std::move(one), now});
  give_up_old(now);
}

std::vector<store::arrived_result> result_buffer::take(std::size_t most, steady::time_point now) {
  give_up_old(now);
  std::vector<store::arrived_result> out;
  taken_.clear();
  std::deque<waiting> rest;
  while (!waiting_.empty() && out.size() < most) {
    auto& first = waiting_.front();
    if (taken_.emplace(first.what.monitor, first.since).second) {
      out.push_back(std::move(first.what));
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
