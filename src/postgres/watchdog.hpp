#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <functional>
#include <memory>

namespace svc::postgres {

/// Calls `on_expiry` when a guarded wait outlives its deadline. The timer is not set anew for each wait: once
/// armed it stays, and when it fires too early it moves on to the deadline that counts then. So a query
/// costs no timer operation. Worker-local, owned by a connection; silent after its destruction.
class watchdog {
 public:
  watchdog(asio::io_context& io, std::function<void()> on_expiry);
  ~watchdog();
  watchdog(watchdog const&) = delete;
  watchdog& operator=(watchdog const&) = delete;

  void guard(deadline until);
  void rest();
  /// Lets an `io_context` without other work come to an end.
  void cancel();
  bool expired() const;

 private:
  // Outlives the watchdog in the pending timer's handler, which looks whether anybody still listens.
  struct state;
  static void arm(std::shared_ptr<state> s);
  static void fired(std::shared_ptr<state> s);
  std::shared_ptr<state> state_;
};

}  // namespace svc::postgres
