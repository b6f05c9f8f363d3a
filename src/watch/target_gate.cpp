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
  /// Who comes back stands before who has not been let through yet.
  waiting(std::list<waiting*>& of, executor on, bool back)
      : called(on), queue(of), comes_back(back), at(of.insert(back ? first_new(of) : of.end(), this)) {}
  ~waiting() {
    if (!passed) queue.erase(at);
  }
  waiting(waiting const&) = delete;
  waiting& operator=(waiting const&) = delete;

  static std::list<waiting*>::iterator first_new(std::list<waiting*>& in) {
    return std::ranges::find(in, false, [](waiting const* each) { return each->comes_back; });
  }

  steady_timer called;
  std::list<waiting*>& queue;
  bool const comes_back;
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
  bool admit(of_project& one, steady::time_point now, bool back) {
    if (inside >= most->at_a_time || (!back && !has_room(one, now))) return false;
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
      if (one.queue.empty() || !admit(one, now, one.queue.front()->comes_back)) continue;
      auto* const first = one.queue.front();
      one.queue.pop_front();
      first->passed = true;
      first->called.cancel();
      left = projects.size() + 1;
    }
  }
  /// Whether it was let through by the deadline.
  task<bool> pass(uuid project, deadline until, bool back) {
    auto now = steady::now();
    auto& own = projects[project];
    if ((back || own.queue.empty()) && admit(own, now, back)) co_return true;
    if (!back && own.queue.size() >= most->most_waiting) co_return false;
    waiting self(own.queue, co_await asio::this_coro::executor, back);
    bool given_up = false;
    while (!self.passed && !given_up) {
      self.called.expires_at(std::min(until.at(), next_room(own, now)));
      co_await self.called.async_wait(awaiting);
      now = steady::now();
      if (!self.passed) advance();
      given_up = now >= until.at() || is_cancelled(co_await asio::this_coro::cancellation_state);
    }
    co_return self.passed;
  }
  bool idle(steady::time_point now) {
    for (auto at = projects.begin(); at != projects.end();) {
      forget_old(at->second, now);
      at = at->second.begun.empty() && at->second.queue.empty() ? projects.erase(at) : std::next(at);
    }
    return places == 0 && projects.empty();
  }

  std::shared_ptr<limits const> most;
  std::size_t inside = 0;
  std::size_t places = 0;  ///< that are held, inside or left for a while
  std::map<uuid, of_project> projects{};
  uuid last{};  ///< the project that was let through last
};

struct target_gate::place::held {
  held(std::shared_ptr<target> in, uuid project) : of(std::move(in)), by(project) { ++of->places; }
  ~held() {
    leave();
    --of->places;
  }
  held(held const&) = delete;
  held& operator=(held const&) = delete;

  void leave() {
    if (!std::exchange(inside, false)) return;
    --of->inside;
    of->advance();
  }

  std::shared_ptr<target> of;
  uuid by;
  bool inside = true;
};

target_gate::place::place(std::shared_ptr<target> of, uuid project)
    : in_(std::make_shared<held>(std::move(of), project)) {}

void target_gate::place::count(std::size_t more) {
  in_->of->projects[in_->by].begun.add(steady::now(), more);
}

void target_gate::place::leave() {
  in_->leave();
}

task<bool> target_gate::place::come_back(deadline until) {
  auto const in = in_;
  in->inside = co_await in->of->pass(in->by, until, true);
  co_return in->inside;
}

task<target_gate::place> target_gate::enter(std::string where, uuid project, deadline until) {
  forget_idle(steady::now());
  auto& found = targets_[std::move(where)];
  if (!found) found = std::make_shared<target>(limits_);
  auto const in = found;
  bool const through = co_await in->pass(project, until, false);
  co_return through ? place(in, project) : place();
}

/// Nothing of these is to be known any more.
void target_gate::forget_idle(steady::time_point now) {
  if (now - forgot_at_ < forget_interval) return;
  forgot_at_ = now;
  std::erase_if(targets_, [&](auto const& each) { return each.second->idle(now); });
}

}  // namespace svc::watch
