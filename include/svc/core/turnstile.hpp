#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <list>
#include <memory>
#include <utility>

namespace svc {

/// Lets a fixed number of callers through at a time, in the order in which they came. Worker-local. Callers that wait
/// or are through may outlive it.
class turnstile {
  struct queue;

 public:
  explicit turnstile(int places) : queue_(std::make_shared<queue>(places)) {}

  /// Held by a caller that went through; empty for one that has waited until its deadline.
  class place {
   public:
    place() = default;
    explicit place(std::shared_ptr<queue> of) : of_(std::move(of)) {}
    place(place&&) noexcept = default;
    place& operator=(place&& other) noexcept {
      std::swap(of_, other.of_);
      return *this;
    }
    ~place() {
      if (of_) of_->leave();
    }
    explicit operator bool() const { return of_ != nullptr; }

   private:
    std::shared_ptr<queue> of_{};
  };

  task<place> enter(deadline until) {
    auto const in = queue_;
    if (in->free > 0) {
      --in->free;
      co_return place(in);
    }
    waiting self(*in, steady_timer(co_await asio::this_coro::executor, until.at()));
    co_await self.called.async_wait(awaiting);
    if (!self.passed) co_return place();
    co_return place(in);
  }

 private:
  struct waiting {
    waiting(queue& of, steady_timer until)
        : in(of), called(std::move(until)), at(of.all.insert(of.all.end(), this)) {}
    ~waiting() {
      if (!passed) in.all.erase(at);
    }
    waiting(waiting const&) = delete;
    waiting& operator=(waiting const&) = delete;

    queue& in;
    steady_timer called;
    std::list<waiting*>::iterator at;
    bool passed = false;
  };

  struct queue {
    explicit queue(int places) : free(places) {}
    /// The place goes to the caller that has waited longest.
    void leave() {
      if (all.empty()) {
        ++free;
        return;
      }
      auto* const next = all.front();
      all.pop_front();
      next->passed = true;
      next->called.cancel();
    }

    int free;
    std::list<waiting*> all{};
  };

  std::shared_ptr<queue> queue_;
};

}  // namespace svc
