#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <algorithm>
#include <utility>

namespace svc::store {

/// Retries for a key or run that another transaction holds. The pause between attempts doubles, up to the longest.
/// Belongs to one request.
class attempts {
 public:
  /// `patience`: the time to leave for the last attempt. An attempt that the deadline cuts off ends in a 503.
  attempts(executor const& executor, deadline until, milliseconds patience)
      : timer_(executor), until_(until), patience_(patience) {}

  /// Waits until the next attempt. Returns false at once if the deadline leaves no time for it.
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

/// The time to leave for an attempt to lock an idempotency key.
inline constexpr milliseconds key_patience{200};

}  // namespace svc::store
