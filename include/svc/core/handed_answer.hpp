#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <boost/asio/post.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace svc {

/// Who waits for an answer of another thread. It is handed on whole: each of both holds it while it needs it, either
/// may end first, and what it holds is used on the waiting thread alone.
template <class Answer>
class handed_answer {
 public:
  /// `where`: of who waits.
  handed_answer(executor const& where, deadline until) : executor_(where), done_(where, until.at()) {}

  /// On the waiting thread. Nothing: there was none until the deadline, or the other thread had none to give.
  task<std::optional<Answer>> wait() {
    co_await done_.async_wait(awaiting);
    co_return std::move(came_);
  }

  /// Any thread, once.
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
