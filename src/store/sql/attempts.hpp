#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <algorithm>
#include <utility>

namespace svc::store {

/// Attempts at what another transaction holds, a key or a run: the pause between two doubles, up to the longest.
/// Belongs to one request.
class attempts {
 public:
  /// `patience`: what the last attempt needs. One that the deadline cuts off could only be answered with 503.
  attempts(executor const& on, deadline until, milliseconds patience)
      : timer_(on), until_(until), patience_(patience) {}

  /// Waits until the next attempt. False, at once: the deadline leaves no time for it.
  task<bool> next() {
    if (steady::now() + wait_ + patience_ >= until_.at()) co_return false;
    timer_.expires_after(std::exchange(wait_, std::min(2 * wait_, longest_wait)));
    co_await timer_.async_wait(awaiting);
    co_return true;
  }

 private:
  static constexpr milliseconds first_wait{5}, longest_wait{50};

  steady_timer timer_;
  deadline until_;
  milliseconds patience_;
  milliseconds wait_ = first_wait;
};

/// What an attempt at an idempotency key needs.
inline constexpr milliseconds key_patience{200};

}  // namespace svc::store
