#include "monitoring/checks/target_gate.hpp"

#include "svc/core/async.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace svc::scheduler {
namespace {

/// Start times of connections, the oldest first. There may be as many of these as monitors, most with one or two
/// times, and a deque would take half a kilobyte each.
class begun_times {
 public:
  bool empty() const { return size() == 0; }
  std::size_t size() const { return all_.size() - gone_; }
  steady::time_point oldest() const { return all_[gone_]; }
  void add(steady::time_point time, std::size_t times = 1) { all_.insert(all_.end(), times, time); }
  void remove_until(steady::time_point time) {
    while (!empty() && oldest() <= time) ++gone_;
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
  waiting(executor executor, bool back) : called(executor), returns(back) {}

  steady_timer called;
  bool const returns;
  std::optional<permit_kind> passed{};
};

struct target_gate::target {
  explicit target(std::shared_ptr<limits const> bounds) : most(std::move(bounds)) {}

  using queue_position = std::list<waiting*>::iterator;
  struct guest {
    begun_times begun{};  ///< connections of the last minute
    std::list<waiting*> queue{};
    std::size_t inside = 0;
    uuid organization{};
  };

  void remove_old(guest& guest, steady::time_point now) const { guest.begun.remove_until(now - most->minute); }
  bool has_room(guest& guest, steady::time_point now) const {
    remove_old(guest, now);
    return guest.begun.size() < most->per_minute;
  }
  /// When its oldest one does not count any more; never in the past.
  steady::time_point next_room(guest& guest, steady::time_point now) const {
    return has_room(guest, now) ? now + most->minute : guest.begun.oldest() + most->minute;
  }
  /// The places that a project may hold: its equal share, rounded up, while another project waits for a place.
  std::size_t share_of(uuid const& project, steady::time_point now) {
    bool others_wait = false;
    auto sharing = holders;
    for (auto const& each : waiting_projects) {
      auto& guest = guests.at(each);
      // A project that has used up its minute cannot take the unused share of others.
      if (!guest.queue.front()->returns && !has_room(guest, now)) continue;
      others_wait = others_wait || each != project;
      if (guest.inside == 0) ++sharing;
    }
    return others_wait ? (most->at_a_time + sharing - 1) / sharing : most->at_a_time;
  }
  std::optional<permit_kind> free_permit(uuid const& project, guest const& guest, steady::time_point now) {
    if (inside < most->at_a_time)
      return guest.inside < share_of(project, now) ? std::optional(permit_kind::shared) : std::nullopt;
    auto const newcomers = newcomers_of.find(guest.organization);
    bool const bounded = newcomers != newcomers_of.end() && newcomers->second >= most->at_a_time;
    if (guest.inside > 0 || inside >= most->most_at_all || bounded) return std::nullopt;
    return permit_kind::newcomer;
  }
  /// Returns the kind of the place that it got, if there was one.
  std::optional<permit_kind> admit(uuid const& project, guest& guest, steady::time_point now, bool returns) {
    auto const out = free_permit(project, guest, now);
    if (!out || (!returns && !has_room(guest, now))) return std::nullopt;
    ++inside;
    if (guest.inside++ == 0) ++holders;
    if (*out == permit_kind::newcomer) ++newcomers_of[guest.organization];
    guest.begun.add(now);
    last = project;
    return out;
  }
  void leave(owner const& owner, permit_kind left) {
    --inside;
    if (--guests[owner.project].inside == 0) --holders;
    if (left == permit_kind::newcomer) {
      auto const count = newcomers_of.find(owner.organization);
      if (--count->second == 0) newcomers_of.erase(count);
    }
    advance();
  }
  /// Lets those through that may go, one of each project in turn.
  void advance() {
    auto const now = steady::now();
    for (auto left = waiting_projects.size(); left > 0 && !waiting_projects.empty(); --left) {
      auto next = waiting_projects.upper_bound(last);
      if (next == waiting_projects.end()) next = waiting_projects.begin();
      last = *next;
      auto& guest = guests.at(last);
      auto* const first = guest.queue.front();
      auto const got = admit(last, guest, now, first->returns);
      if (!got) continue;
      leave_queue(last, guest, guest.queue.begin());
      first->passed = got;
      first->called.cancel();
      left = waiting_projects.size() + 1;
    }
  }
  /// A check that returns precedes checks that were not at this target yet.
  queue_position join_queue(uuid const& project, guest& guest, waiting& self) {
    waiting_projects.insert(project);
    auto const is_new = [](waiting const* each) { return !each->returns; };
    auto const before = self.returns ? std::ranges::find_if(guest.queue, is_new) : guest.queue.end();
    return guest.queue.insert(before, &self);
  }
  void leave_queue(uuid const& project, guest& guest, queue_position location) {
    guest.queue.erase(location);
    if (guest.queue.empty()) waiting_projects.erase(project);
  }
  /// Keeps a check in its queue until it passed or gave up, also if its coroutine is destroyed.
  struct queue_entry {
    queue_entry(target& joined, uuid const& of_project, guest& its_guest, waiting& self)
        : queue_target(joined),
          project(of_project),
          entry(its_guest),
          waiter(self),
          position(joined.join_queue(of_project, its_guest, self)) {}
    ~queue_entry() {
      if (!waiter.passed) queue_target.leave_queue(project, entry, position);
    }
    queue_entry(queue_entry const&) = delete;
    queue_entry& operator=(queue_entry const&) = delete;

    target& queue_target;
    uuid project;
    guest& entry;
    waiting& waiter;
    queue_position position;
  };
  guest& guest_of(owner const& visitor) {
    auto& out = guests[visitor.project];
    out.organization = visitor.organization;
    return out;
  }
  std::optional<permit_kind> try_pass(owner const& visitor) {
    auto& own = guest_of(visitor);
    return own.queue.empty() ? admit(visitor.project, own, steady::now(), false) : std::nullopt;
  }
  /// Returns the kind of its place if it was let through by the deadline.
  task<std::optional<permit_kind>> pass(owner visitor, deadline until, bool returns) {
    auto now = steady::now();
    auto& own = guest_of(visitor);
    if (returns || own.queue.empty())
      if (auto const got = admit(visitor.project, own, now, returns)) co_return got;
    if (!returns && own.queue.size() >= most->most_waiting) co_return std::nullopt;
    waiting self(co_await asio::this_coro::executor, returns);
    queue_entry const entry(*this, visitor.project, own, self);
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
    for (auto cursor = guests.begin(); cursor != guests.end();) {
      auto& guest = cursor->second;
      remove_old(guest, now);
      bool const gone = guest.begun.empty() && guest.queue.empty() && guest.inside == 0;
      cursor = gone ? guests.erase(cursor) : std::next(cursor);
    }
    return guests.empty();
  }

  std::shared_ptr<limits const> most;
  std::size_t inside = 0;
  std::size_t holders = 0;                     ///< projects that hold a place
  std::map<uuid, guest> guests{};              ///< by project
  std::set<uuid> waiting_projects{};           ///< projects with a queue
  std::map<uuid, std::size_t> newcomers_of{};  ///< places of newcomers, by organization
  uuid last{};                                 ///< the project that was let through last
};

namespace {

account_owner account_owner_of(target_gate::owner const& visitor) {
  return {.project = visitor.project, .organisation = visitor.organization};
}

}  // namespace

struct target_gate::permit::held {
  held(std::shared_ptr<target> at_target, owner const& position_holder, permit_kind kind_of_permit,
       account* with_book)
      : target(std::move(at_target)), owner(position_holder), kind(kind_of_permit), book(with_book) {
    if (book != nullptr) book->charge(account_owner_of(owner), 1);
  }
  ~held() {
    if (book != nullptr) book->release(account_owner_of(owner), 1);
    target->leave(owner, kind);
  }
  held(held const&) = delete;
  held& operator=(held const&) = delete;

  std::shared_ptr<target> target;
  owner owner;
  permit_kind kind;
  account* book;
};

target_gate::permit::permit(std::shared_ptr<held> permission) : held_(std::move(permission)) {}

void target_gate::permit::count() {
  held_->target->guest_of(held_->owner).begun.add(steady::now());
}

task<std::optional<target_gate::permit>> target_gate::enter(std::string where, owner visitor, bool returns,
                                                            deadline until) {
  auto const entered = target_at(std::move(where));
  auto* const book = book_;  // A caller that waits may outlive the gate.
  auto const got = co_await entered->pass(visitor, until, returns);
  if (got) co_return permit(std::make_shared<permit::held>(entered, visitor, *got, book));
  bool const cancelled = is_cancelled(co_await asio::this_coro::cancellation_state);
  if (book != nullptr && !cancelled) book->refuse(account_owner_of(visitor), account_decision::project_exhausted);
  co_return std::nullopt;
}

std::optional<target_gate::permit> target_gate::try_enter(std::string where, owner const& visitor) {
  auto const& entered = target_at(std::move(where));
  auto const got = entered->try_pass(visitor);
  if (!got) return std::nullopt;
  return permit(std::make_shared<permit::held>(entered, visitor, *got, book_));
}

std::shared_ptr<target_gate::target> const& target_gate::target_at(std::string where) {
  remove_idle(steady::now());
  auto& found = targets_[std::move(where)];
  if (!found) found = std::make_shared<target>(limits_);
  return found;
}

/// Forgets targets that have neither guests nor connections that still count.
void target_gate::remove_idle(steady::time_point now) {
  if (now - forgot_at_ < limits_->removal_interval) return;
  forgot_at_ = now;
  std::erase_if(targets_, [&](auto const& each) { return each.second->idle(now); });
}

}  // namespace svc::scheduler
