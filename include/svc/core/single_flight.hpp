#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <boost/asio/this_coro.hpp>

#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

namespace svc {

/// One piece of work for each key at a time; all callers that ask for it meanwhile share its outcome. This is
/// only the bookkeeping. A caller that finds no flight to join leads one: it starts the work as a separate
/// task. So a client that disconnects does not cancel the work for the others. The task writes the flight's
/// `outcome` and completes it, also after a failure. Worker-local. A flight may complete after this object
/// has ended.
template <class Key, class Outcome, class Hash = std::hash<Key>>
class single_flight {
 public:
  struct flight {
    Outcome outcome{};  ///< written by its leader's task; final once `done`
    steady::time_point const begun = steady::now();
    bool done = false;
    std::list<steady_timer*> waiting{};  ///< in the order of their arrival
  };
  using flight_ptr = std::shared_ptr<flight>;

  /// Returns the latest flight for the key that has not been removed; null if there is none.
  flight_ptr find(Key const& key) const {
    auto const found = latest_.find(key);
    return found == latest_.end() ? nullptr : found->second;
  }

  /// Returns a new flight, which callers join from now on. Callers that wait for an older one keep it.
  flight_ptr lead(Key const& key) {
    auto f = std::make_shared<flight>();
    latest_[key] = f;
    return f;
  }

  /// Wakes all waiting callers in the order of their arrival. Callers can join the flight until it is
  /// removed.
  static void complete(flight_ptr const& f) {
    f->done = true;
    for (steady_timer* timer : f->waiting) timer->cancel();
  }

  /// Lets no further caller join this flight. A newer one for the key stays.
  void remove(Key const& key, flight_ptr const& f) {
    if (auto const mine = latest_.find(key); mine != latest_.end() && mine->second == f) latest_.erase(mine);
  }

  /// Lets no further caller join the present flights; callers that wait for one keep it.
  void invalidate_all() { latest_.clear(); }

  /// Waits until the flight is complete, at most until the deadline: `done` tells which of the two happened.
  static task<> wait(flight_ptr f, deadline until) {
    if (f->done) co_return;
    steady_timer timer(co_await asio::this_coro::executor, until.at());
    auto const position = f->waiting.insert(f->waiting.end(), &timer);
    co_await timer.async_wait(awaiting);
    f->waiting.erase(position);
  }

 private:
  std::unordered_map<Key, flight_ptr, Hash> latest_;
};

}  // namespace svc
