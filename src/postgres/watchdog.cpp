#include "postgres/watchdog.hpp"

namespace svc::postgres {

struct watchdog::state {
  explicit state(asio::io_context& io) : timer(io) {}
  steady_timer timer;
  std::function<void()> on_expiry;  ///< empty once the watchdog is gone
  steady::time_point time{};
  steady::time_point armed_at{};
  std::uint64_t arming = 0;  ///< the handler of an earlier arming does nothing
  bool armed = false;
  bool guarding = false;
  bool expired = false;
};

watchdog::watchdog(asio::io_context& io, std::function<void()> on_expiry) : state_(std::make_shared<state>(io)) {
  state_->on_expiry = std::move(on_expiry);
}

watchdog::~watchdog() {
  state_->on_expiry = nullptr;
  cancel();
}

void watchdog::guard(deadline until) {
  state_->time = until.at();
  state_->guarding = true;
  state_->expired = false;
  if (!state_->armed || state_->armed_at > state_->time) arm(state_);
}

void watchdog::rest() {
  state_->guarding = false;
}

void watchdog::cancel() {
  rest();
  state_->armed = false;
  ++state_->arming;
  state_->timer.cancel();
}

bool watchdog::expired() const {
  return state_->expired;
}

void watchdog::arm(std::shared_ptr<state> s) {
  s->armed = true;
  s->armed_at = s->time;
  s->timer.expires_at(s->time);
  auto& timer = s->timer;
  auto const mine = ++s->arming;
  timer.async_wait([s = std::move(s), mine](boost::system::error_code const&) mutable {
    if (s->arming == mine) fired(std::move(s));
  });
}

void watchdog::fired(std::shared_ptr<state> s) {
  s->armed = false;
  if (!s->guarding || !s->on_expiry) return;
  if (steady::now() < s->time) return arm(std::move(s));
  s->expired = true;
  s->on_expiry();
}

}  // namespace svc::postgres
