#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <list>
#include <utility>

namespace svc {

/// Lets so many through at a time, in the order in which they came. Worker-local; outlives who waits.
class turnstile {
 public:
  explicit turnstile(int places) : free_(places) {}
  turnstile(turnstile const&) = delete;
  turnstile& operator=(turnstile const&) = delete;

  /// Held by who went through; empty for who has waited until his deadline.
  class place {
   public:
    place() = default;
    explicit place(turnstile& of) : of_(&of) {}
    place(place&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    place& operator=(place&& other) noexcept {
      std::swap(of_, other.of_);
      return *this;
    }
    ~place() {
      if (of_ != nullptr) of_->leave();
    }
    explicit operator bool() const { return of_ != nullptr; }

   private:
    turnstile* of_ = nullptr;
  };

  task<place> enter(deadline until) {
    if (free_ > 0) {
      --free_;
      co_return place(*this);
    }
    waiting self{steady_timer(co_await asio::this_coro::executor, until.at())};
    self.at = queue_.insert(queue_.end(), &self);
    co_await self.called.async_wait(awaiting);
    if (self.passed) co_return place(*this);
    queue_.erase(self.at);
    co_return place();
  }

 private:
  struct waiting {
    steady_timer called;
    std::list<waiting*>::iterator at{};
    bool passed = false;
  };

  /// The place goes to who has waited longest.
  void leave() {
    if (queue_.empty()) {
      ++free_;
      return;
    }
    auto* const next = queue_.front();
    queue_.pop_front();
    next->passed = true;
    next->called.cancel();
  }

  int free_;
  std::list<waiting*> queue_{};
};

}  // namespace svc
