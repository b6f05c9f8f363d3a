#include "svc/watch/target_gate.hpp"

#include "svc/core/cancelled.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace svc::watch {
namespace {

constexpr std::chrono::seconds forget_interval{60};

}  // namespace

struct target_gate::waiting {
  waiting(std::list<waiting*>& of, executor on) : called(on), queue(of), at(of.insert(of.end(), this)) {}
  ~waiting() {
    if (!passed) queue.erase(at);
  }
  waiting(waiting const&) = delete;
  waiting& operator=(waiting const&) = delete;

  steady_timer called;
  std::list<waiting*>& queue;
  std::list<waiting*>::iterator at;
  bool passed = false;
};

struct target_gate::target {
  explicit target(std::shared_ptr<limits const> of) : most(std::move(of)) {}

  struct of_project {
    std::deque<steady::time_point> begun{};  ///< of the last minute
    std::list<waiting*> queue{};
  };

  void forget_old(of_project& one, steady::time_point now) const {
    while (!one.begun.empty() && now - one.begun.front() >= most->minute) one.begun.pop_front();
  }
  bool has_room(of_project& one, steady::time_point now) const {
    forget_old(one, now);
    return one.begun.size() < most->per_minute;
  }
  /// When its oldest one does not count any more; never in the past.
  steady::time_point next_room(of_project& one, steady::time_point now) const {
    return has_room(one, now) ? now + most->minute : one.begun.front() + most->minute;
  }
  bool admit(of_project& one, steady::time_point now) {
    if (inside >= most->at_a_time || !has_room(one, now)) return false;
    ++inside;
    one.begun.push_back(now);
    return true;
  }
  /// Lets those through that may go, one of each project in turn.
  void advance() {
    auto const now = steady::now();
    for (auto left = projects.size(); inside < most->at_a_time && left > 0; --left) {
      auto next = projects.upper_bound(last);
      if (next == projects.end()) next = projects.begin();
      last = next->first;
      auto& one = next->second;
      if (one.queue.empty() || !admit(one, now)) continue;
      auto* const first = one.queue.front();
      one.queue.pop_front();
      first->passed = true;
      first->called.cancel();
      left = projects.size() + 1;
    }
  }
  bool idle(steady::time_point now) {
    for (auto at = projects.begin(); at != projects.end();) {
      forget_old(at->second, now);
      at = at->second.begun.empty() && at->second.queue.empty() ? projects.erase(at) : std::next(at);
    }
    return inside == 0 && projects.empty();
  }

  std::shared_ptr<limits const> most;
  std::size_t inside = 0;
  std::map<uuid, of_project> projects{};
  uuid last{};  ///< the project that was let through last
};

target_gate::place::~place() {
  if (!of_) return;
  --of_->inside;
  of_->advance();
}

void target_gate::place::count(std::size_t more) {
  auto& begun = of_->projects[project_].begun;
  begun.insert(begun.end(), more, steady::now());
}

task<target_gate::place> target_gate::enter(std::string where, uuid project, deadline until) {
  auto now = steady::now();
  forget_idle(now);
  auto& found = targets_[std::move(where)];
  if (!found) found = std::make_shared<target>(limits_);
  auto const in = found;
  auto& own = in->projects[project];
  if (own.queue.empty() && in->admit(own, now)) co_return place(in, project);
  if (own.queue.size() >= limits_->most_waiting) co_return place();
  waiting self(own.queue, co_await asio::this_coro::executor);
  bool given_up = false;
  while (!self.passed && !given_up) {
    self.called.expires_at(std::min(until.at(), in->next_room(own, now)));
    co_await self.called.async_wait(awaiting);
    now = steady::now();
    if (!self.passed) in->advance();
    given_up = now >= until.at() || is_cancelled(co_await asio::this_coro::cancellation_state);
  }
  co_return self.passed ? place(in, project) : place();
}

/// Nothing of these is to be known any more.
void target_gate::forget_idle(steady::time_point now) {
  if (now - forgot_at_ < forget_interval) return;
  forgot_at_ = now;
  std::erase_if(targets_, [&](auto const& each) { return each.second->idle(now); });
}

}  // namespace svc::watch
