#include "svc/runner_api/claim_pace.hpp"

namespace svc::runner_api {

steady::time_point claim_pace::looks_at(uuid runner) const {
  auto const next = next_.find(runner);
  return next == next_.end() ? steady::time_point::min() : next->second;
}

void claim_pace::found(uuid runner, std::size_t runs, std::size_t most, steady::time_point now) {
  if (runs < several || runs >= most) {
    next_.erase(runner);
    return;
  }
  if (next_.size() >= most_runners) std::erase_if(next_, [now](auto const& one) { return one.second <= now; });
  next_.insert_or_assign(runner, now + distance);
}

}  // namespace svc::runner_api
