#include "svc/store/pages/subscription_queue.hpp"

#include <utility>

namespace svc::store {

bool subscription_queue::push(subscription_request request) {
  std::lock_guard const lock(mutex_);
  if (waiting_.size() >= most) return false;
  waiting_.push_back(std::move(request));
  return true;
}

std::optional<subscription_request> subscription_queue::pop() {
  std::lock_guard const lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  auto out = std::move(waiting_.front());
  waiting_.pop_front();
  return out;
}

void subscription_queue::put_back(subscription_request request) {
  std::lock_guard const lock(mutex_);
  waiting_.push_back(std::move(request));
}

std::size_t subscription_queue::size() const {
  std::lock_guard const lock(mutex_);
  return waiting_.size();
}

}  // namespace svc::store
