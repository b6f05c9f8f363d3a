#pragma once

#include "redis/multiplexer.hpp"
#include "svc/core/async.hpp"

#include <boost/asio/post.hpp>

#include <optional>
#include <utility>

namespace svc::redis {

/// A coroutine that waits for its outcome. Lives in that coroutine's frame and holds its continuation, so
/// waiting allocates nothing. A connection resumes all submitted waiters however it ends, because the frame
/// of any other would leak.
class suspended_waiter : public waiter {
 public:
  explicit suspended_waiter(deadline until, std::optional<steady::time_point> late = {}) : waiter(until, late) {}

  void resume() override { std::exchange(continuation_, std::nullopt).value()(); }
  void resume_later() override {
    auto handler = std::exchange(continuation_, std::nullopt).value();
    auto const where = handler.get_executor();
    asio::post(where, std::move(handler));
  }

  task<> resumed() {
    return asio::async_initiate<token const, void()>(store{this}, asio::use_awaitable_t<executor>{});
  }

 protected:
  ~suspended_waiter() = default;

 private:
  using token = asio::use_awaitable_t<executor>;
  using continuation = asio::async_result<token, void()>::handler_type;
  struct store {
    suspended_waiter* into;
    void operator()(continuation handler) const { into->continuation_.emplace(std::move(handler)); }
  };

  std::optional<continuation> continuation_;
};

}  // namespace svc::redis
