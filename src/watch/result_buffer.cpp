#include "svc/watch/result_buffer.hpp"

#include <ranges>
#include <unordered_set>
#include <utility>

namespace svc::watch {

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
  if (waiting_.empty()) return out;
  taken_since_ = waiting_.front().since;
  std::unordered_set<uuid, uuid_hash> monitors;
  std::deque<waiting> rest;
  while (!waiting_.empty() && out.size() < most) {
    auto& first = waiting_.front();
    if (monitors.insert(first.what.monitor).second) {
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
  for (auto& each : std::ranges::reverse_view(all)) waiting_.push_front({std::move(each), taken_since_});
}

}  // namespace svc::watch
