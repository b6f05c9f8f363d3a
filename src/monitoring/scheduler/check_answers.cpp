#include "svc/monitoring/scheduler/check_answers.hpp"

#include "svc/core/result.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace svc::scheduler {
namespace {

constexpr std::chrono::seconds answer_patience{2};

}  // namespace

task<store::check_requests::state> check_answers::until_closed(uuid request, deadline until) {
  if (!draining_) {
    auto const all = waiters_;
    auto const mine = all->emplace(all->end(), request, steady_timer(io_, until.at()));
    struct leaver {
      std::shared_ptr<std::list<waiter>> waiters;
      std::list<waiter>::iterator which;
      ~leaver() { waiters->erase(which); }
    } const at_end{all, mine};
    co_await mine->over.async_wait(awaiting);
  }
  co_return co_await requests_.look(request, deadline::after(answer_patience));
}

task<> check_answers::look() {
  std::vector<uuid> asked;
  for (auto const& each : *waiters_) asked.push_back(each.request);
  if (asked.empty()) co_return;
  std::ranges::sort(asked);
  auto const repeated = std::ranges::unique(asked);
  asked.erase(repeated.begin(), repeated.end());
  auto const closed = co_await requests_.closed(std::move(asked), deadline::after(answer_patience));
  for (auto& each : *waiters_) {
    if (std::ranges::find(closed, each.request) != closed.end()) each.over.cancel();
  }
}

void check_answers::drain() {
  draining_ = true;
  for (auto& each : *waiters_) each.over.cancel();
}

}  // namespace svc::scheduler
