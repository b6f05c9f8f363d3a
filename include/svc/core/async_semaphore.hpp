#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <list>
#include <memory>
#include <utility>

namespace svc {

/// Admits a fixed number of callers at a time, in the order of their arrival. Worker-local. Waiting and
/// admitted callers may outlive it.
class async_semaphore {
  struct queue;

 public:
  explicit async_semaphore(int permits) : queue_(std::make_shared<queue>(permits)) {}

  /// The permit of an admitted caller; empty if the caller has waited until its deadline.
  class permit {
   public:
    permit() = default;
    explicit permit(std::shared_ptr<queue> queue) : queue_(std::move(queue)) {}
    permit(permit&&) noexcept = default;
    permit& operator=(permit&& other) noexcept {
      std::swap(queue_, other.queue_);
      return *this;
    }
    ~permit() {
      if (queue_) queue_->leave();
    }
    explicit operator bool() const { return queue_ != nullptr; }

   private:
    std::shared_ptr<queue> queue_{};
  };

  task<permit> enter(deadline until) {
    auto const queue = queue_;
    if (queue->free > 0) {
      --queue->free;
      co_return permit(queue);
    }
    waiting self(*queue, steady_timer(co_await asio::this_coro::executor, until.at()));
    co_await self.called.async_wait(awaiting);
    if (!self.passed) co_return permit();
    co_return permit(queue);
  }

 private:
  struct waiting {
    waiting(queue& queue, steady_timer until)
        : input(queue), called(std::move(until)), position(queue.all.insert(queue.all.end(), this)) {}
    ~waiting() {
      if (!passed) input.all.erase(position);
    }
    waiting(waiting const&) = delete;
    waiting& operator=(waiting const&) = delete;

    queue& input;
    steady_timer called;
    std::list<waiting*>::iterator position;
    bool passed = false;
  };

  struct queue {
    explicit queue(int permits) : free(permits) {}
    /// Passes the permit to the caller that has waited longest.
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
