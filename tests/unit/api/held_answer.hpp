#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"

#include <chrono>

namespace svc::test {

/// A store whose answers wait until the test releases them, or fail.
struct held_answer {
  task<> answer(deadline until) {
    if (held) {
      steady_timer timer(io, until.at());
      waiting = &timer;
      co_await timer.async_wait(awaiting);
      waiting = nullptr;
    }
    if (fails) throw unavailable("gone");
  }
  void release() {
    held = false;
    if (waiting != nullptr) waiting->cancel();
  }
  static deadline soon() { return deadline::after(std::chrono::seconds(20)); }

  asio::io_context io{1};
  bool held = false, fails = false;
  steady_timer* waiting = nullptr;  ///< of the answer that waits now
};

}  // namespace svc::test
