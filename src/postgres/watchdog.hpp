#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <functional>
#include <memory>

namespace svc::postgres {

/// Calls `on_expiry` when a guarded wait outlives its deadline. The timer is not set again for each wait: it
/// stays armed, and arms itself again if it fires before the current deadline. So most queries need no timer
/// operation. Worker-local, owned by a connection; calls nothing after its destruction.
class watchdog {
 public:
  watchdog(asio::io_context& io, std::function<void()> on_expiry);
  ~watchdog();
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;

  void guard(deadline until);
  void rest();
  /// Cancels the timer too, so that an `io_context` without other work returns from `run`.
  void cancel();
  bool expired() const;

 private:
  // Outlives the watchdog in the pending timer's handler, which checks whether the watchdog still exists.
  struct state;
  static void arm(std::shared_ptr<state> s);
  static void fired(std::shared_ptr<state> s);
  std::shared_ptr<state> state_;
};

}  // namespace svc::postgres
