#include "svc/watch/target_gate.hpp"

#include "svc/core/cancelled.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace svc::watch {
namespace {

constexpr std::chrono::seconds forget_interval{60};

/// When connections began, the oldest first. There may be as many of these as monitors, most of one time or two: for
/// so many a deque takes half a kilobyte each.
class begun_times {
 public:
  bool empty() const { return size() == 0; }
  std::size_t size() const { return all_.size() - gone_; }
  steady::time_point oldest() const { return all_[gone_]; }
  void add(steady::time_point at, std::size_t times = 1) { all_.insert(all_.end(), times, at); }
  void forget_until(steady::time_point at) {
    while (!empty() && oldest() <= at) ++gone_;
    if (gone_ * 2 < all_.size()) return;
    all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(gone_));
    gone_ = 0;
  }

 private:
  std::vector<steady::time_point> all_{};
  std::size_t gone_ = 0;  ///< of those at the front
};

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
    begun_times begun{};  ///< of the last minute
    std::list<waiting*> queue{};
  };

  void forget_old(of_project& one, steady::time_point now) const { one.begun.forget_until(now - most->minute); }
  bool has_room(of_project& one, steady::time_point now) const {
    forget_old(one, now);
    return one.begun.size() < most->per_minute;
  }
  /// When its oldest one does not count any more; never in the past.
  steady::time_point next_room(of_project& one, steady::time_point now) const {
    return has_room(one, now) ? now + most->minute : one.begun.oldest() + most->minute;
  }
  bool admit(of_project& one, steady::time_point now) {
    if (inside >= most->at_a_time || !has_room(one, now)) return false;
    ++inside;
    one.begun.add(now);
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
  of_->projects[project_].begun.add(steady::now(), more);
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
