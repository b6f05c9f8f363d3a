#include "net/watchdog.hpp"

#include "net/stream.hpp"

#include <algorithm>
#include <utility>

namespace svc::net {

void watchdog::start(std::weak_ptr<void> owner) {
  owner_ = std::move(owner);
  arm(steady::now() + tick_);
}

void watchdog::stop() {
  owner_.reset();
  timer_.cancel();
}

void watchdog::due_at(steady::time_point time) {
  due_ = time;
  expired_ = false;
  if (!owner_.expired() && due_ < armed_) arm(due_);
}

void watchdog::arm(steady::time_point time) {
  armed_ = time;
  timer_.expires_at(time);
  timer_.async_wait([this, keep = owner_.lock()](boost::system::error_code ec) {
    // Cancelled means stopped or armed again for an earlier moment.
    if (!ec && !owner_.expired()) fired();
  });
}

void watchdog::fired() {
  auto const now = steady::now();
  // This handler was already queued when the timer was armed again; that expiry is still to come.
  if (now < armed_) return;
  if (now >= due_ && !expired_) {
    expired_ = true;
    stream_.cancel();
  }
  arm(due_ > now ? std::min(due_, now + tick_) : now + tick_);
}

}  // namespace svc::net
