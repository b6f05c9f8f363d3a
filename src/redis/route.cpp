#include "redis/route.hpp"

#include <utility>

namespace svc::redis {

void route::start(std::function<void()> moved) {
  if (!where_.through) return;
  moved_ = std::move(moved);
  where_.through->join(weak_from_this());
}

void route::stop() {
  stopped_ = true;
  moved_ = nullptr;
  timer_.cancel();
}

task<std::optional<address>> route::next() {
  if (!where_.through) co_return address{where_.host, where_.port};
  auto const self = shared_from_this();
  in_use_.reset();
  fault_.clear();
  if (!found_) where_.through->find();
  waiting_ = true;
  while (!stopped_ && !found_ && fault_.empty()) {
    timer_.expires_at(steady::time_point::max());
    co_await timer_.async_wait(awaiting);
  }
  waiting_ = false;
  in_use_ = std::exchange(found_, std::nullopt);
  co_return in_use_;
}

task<> route::rest(milliseconds how_long) {
  auto const self = shared_from_this();
  in_use_.reset();
  if (found_ || stopped_) co_return;
  timer_.expires_after(how_long);
  co_await timer_.async_wait(awaiting);
}

void route::on_found(address const& where) {
  if (stopped_ || in_use_ == where) return;
  found_ = where;
  timer_.cancel();
  if (in_use_ && moved_) moved_();
}

void route::on_not_found(std::string const& reason) {
  if (!waiting_) return;
  fault_ = reason;
  timer_.cancel();
}

void route::on_deposed() {
  found_.reset();
  if (in_use_ && moved_) moved_();
}

}  // namespace svc::redis
