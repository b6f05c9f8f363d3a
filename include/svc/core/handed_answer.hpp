#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <boost/asio/post.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace svc {

/// An answer that one thread waits for and another thread gives. Both threads share the object while they need it,
/// and either may end first. Only the waiting thread uses the answer's content.
template <class Answer>
class handed_answer {
 public:
  /// `where` is the executor of the waiting thread.
  handed_answer(executor const& where, deadline until) : executor_(where), done_(where, until.at()) {}

  /// Waits on the waiting thread. Returns `std::nullopt` if no answer arrived before the deadline, or the other
  /// thread had none.
  task<std::optional<Answer>> wait() {
    co_await done_.async_wait(awaiting);
    co_return std::move(came_);
  }

  /// Gives the answer; any thread may call it, once.
  static void give(std::shared_ptr<handed_answer> answer, std::optional<Answer> value) {
    auto const there = answer->executor_;
    asio::post(there, [answer = std::move(answer), value = std::move(value)]() mutable {
      answer->came_ = std::move(value);
      answer->done_.cancel();
    });
  }

 private:
  executor executor_;
  steady_timer done_;
  std::optional<Answer> came_{};
};

}  // namespace svc
